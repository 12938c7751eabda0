import { expect, test } from 'vitest'
import type { Plugin } from '../../src/index.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

test('RUN-07 ends a run by a cancel even if a hook at its end never settles, and likewise a wait', async () => {
  const never = new Promise<void>(() => {})
  const { act } = toolbox()
  for (const [id, replies, reason] of [
    ['ending', ['Bye'], 'natural_end'],
    ['waiting', [calls(call('c1', 'act'))], 'cancelled'],
  ] as const) {
    const at = Promise.withResolvers<void>()
    const hang = () => {
      at.resolve()
      return never
    }
    const { agent } = testAgent({
      replies,
      tools: [act('act', { needs: 'approval' })],
      plugins: [{ name: 'hanging', runEnd: hang }],
      limits: { pluginTimeoutMs: 100 },
    })
    const run = agent.start('Hi', { runId: id })
    const end = run.settled()
    await at.promise
    await run.cancel()
    await quiet()
    await run.cancel()
    expect((await end).outcome.reason).toBe(reason)
  }
})

test('PH-01 ends a run in error if a hook does not end in time, and names plugin and phase', async () => {
  const begun = Promise.withResolvers<void>()
  const hang = () => {
    begun.resolve()
    return new Promise<void>(() => {})
  }
  const hanging: Plugin = { name: 'hanging', stepStart: hang }
  const { agent, clock } = testAgent({ replies: ['Bye'], plugins: [hanging], limits: { pluginTimeoutMs: 1000 } })
  const end = agent.run('Hi', { runId })
  await begun.promise
  clock.advance(1000)
  expect((await end).outcome).toMatchObject({
    reason: 'error',
    error: {
      message: expect.stringContaining('Plugin "hanging" failed in stepStart: it did not finish within 1000 ms.'),
    },
  })
})

test.for(['stepStart', 'gateCall', 'reviewCall'] as const)(
  'PH-01 fires the signal of a hook (%s) when its time is over, and no other signal',
  async (phase) => {
    const told: string[] = []
    const begun = Promise.withResolvers<void>()
    const listen = (name: string, { signal }: { readonly signal: AbortSignal }, ends: boolean) => {
      signal.addEventListener('abort', () => told.push(`${name}: ${(signal.reason as Error).message}`))
      if (ends) return undefined
      begun.resolve()
      return new Promise<undefined>(() => {})
    }
    const plugin = (name: string, ends: boolean): Plugin => ({
      name,
      [phase]: (context: { readonly signal: AbortSignal }) => listen(name, context, ends),
    })
    const { act } = toolbox()
    const { agent, clock } = testAgent({
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [act()],
      plugins: [plugin('quick', true), plugin('hanging', false)],
      limits: { pluginTimeoutMs: 1000 },
    })
    const end = agent.run('Hi', { runId })
    await begun.promise
    clock.advance(1000)
    expect((await end).outcome.reason).toBe('error')
    expect(told).toEqual(['hanging: it did not finish within 1000 ms.'])
  },
)

test('TC-02 asks about a call whose rule does not answer in time', async () => {
  const { act, done } = toolbox()
  const begun = Promise.withResolvers<void>()
  const needs = () => {
    begun.resolve()
    return new Promise<boolean>(() => {})
  }
  const { agent, clock } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [act('act', { needs })],
    limits: { pluginTimeoutMs: 1000 },
  })
  const end = agent.run('Hi', { runId })
  await begun.promise
  clock.advance(1000)
  expect((await end).outcome).toEqual({ reason: 'suspended' })
  expect(done).toEqual([])
})

test('AGT-08 ends a run in error if an output builder does not end in time, or changes the answer that it is shown', async () => {
  const begun = Promise.withResolvers<void>()
  const slow = () => {
    begun.resolve()
    return new Promise<never>(() => {})
  }
  const { agent, clock } = testAgent({
    replies: ['Bye'],
    limits: { pluginTimeoutMs: 1000 },
    output: { schema: schema, build: slow },
  })
  const end = agent.run('Hi', { runId })
  await begun.promise
  clock.advance(1000)
  const message = 'The output builder failed: it did not finish within 1000 ms.'
  expect((await end).outcome).toEqual({ reason: 'error', error: { code: 'output_failed', message } })

  const changing = ({ message: shown }: { readonly message: { readonly content: readonly unknown[] } }) =>
    (shown.content as unknown[]).push('more')
  const other = testAgent({ replies: ['Bye'], output: { schema: schema, build: changing } })
  expect((await other.agent.run('Hi', { runId })).outcome).toMatchObject({
    reason: 'error',
    error: { code: 'output_failed', message: expect.stringMatching(/^The output builder failed: /) },
  })
  expect(await transcriptOf(other.store, runId)).toEqual(['user: Hi', 'assistant: Bye'])
})

const schema = { type: 'object' } as const
