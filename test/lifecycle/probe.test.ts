import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool, UsageError } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import { compareTrials } from '../../src/testing/crash/compare-trials.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { runTrial } from '../../src/testing/crash/crash-trial.ts'
import { pointsUpTo } from '../../src/testing/crash/mortal-process.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import type { ProbeAnswer, ProbeQuestion, ToolContext } from '../../src/core/ports/tool.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { quiet, runId, stop, testAgent } from '../../proof/support/test-agent.ts'

const input = z.object({ to: z.string() })

/** A tool that acts outside, and whose process dies before its result is stored. */
function payer(probe: (question: ProbeQuestion<{ to: string }>) => ProbeAnswer | Promise<ProbeAnswer>) {
  const acted: string[] = []
  const asked: ProbeQuestion<{ to: string }>[] = []
  const begun = Promise.withResolvers<void>()
  let isHeld = true
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input,
    execute: async ({ to }, { idempotencyKey }) => {
      acted.push(idempotencyKey)
      if (isHeld) {
        begun.resolve()
        await new Promise(() => {})
      }
      return `Paid ${to}`
    },
    probe: (question) => {
      asked.push(question)
      return probe(question)
    },
  })
  return { pay, acted, asked, begun: begun.promise, release: () => void (isHeld = false) }
}

/** Kills the process of a run inside the tool, and has another one take the run over. */
async function killed(paying: ReturnType<typeof payer>, store = memoryStore()) {
  const clock = fakeClock()
  const replies = [calls(call('c1', 'pay', { to: 'Ada' })), 'Bye']
  const first = testAgent({ replies, store, clock, tools: [paying.pay] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await paying.begun
  await stop(run, driving)
  paying.release()
  const second = testAgent({ replies, store, clock, process: 'p2', tools: [paying.pay] })
  const settling = (await second.agent.load(runId)).settled()
  return { settling, clock, second: second.agent }
}

describe('TOOL-08 probes', () => {
  test('TOOL-08 a probe that finds the effect done returns its result, and nobody is asked', async () => {
    const paying = payer(() => ({ status: 'done', result: 'Paid Ada earlier' }))
    const { settling } = await killed(paying)
    const { status, messages } = await settling
    expect(status).toBe('done')
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({
      content: [{ text: 'Paid Ada earlier' }],
    })
    expect(paying.acted).toHaveLength(1)
    const [question] = paying.asked
    expect(question).toMatchObject({ callId: '1.c1', toolName: 'pay', arguments: { to: 'Ada' }, attempt: 2 })
    expect(question?.idempotencyKey).toBe(paying.acted[0])
  })

  test('TOOL-08 a probe that finds the effect missing lets the call run again with its key, if the tool allows it', async () => {
    const paying = payer(() => ({ status: 'notDone', runAgain: true }))
    const { settling } = await killed(paying)
    expect(await settling).toMatchObject({ status: 'done', text: 'Bye' })
    expect(paying.acted).toHaveLength(2)
    expect(new Set(paying.acted).size).toBe(1)
  })

  test.each<readonly [string, () => ProbeAnswer | Promise<ProbeAnswer>, string]>([
    ['finds the effect missing', () => ({ status: 'notDone' }), 'The probe says that the call has not acted.'],
    ['cannot tell', () => ({ status: 'unknown', evidence: 'Two payments look alike' }), 'Two payments look alike'],
    ['cannot tell, with data', () => ({ status: 'unknown', evidence: { found: 2 } }), '{"found":2}'],
    ['throws', () => Promise.reject(new Error('no route')), 'Its probe failed: no route'],
    ['says done without a result', () => ({ status: 'done' }) as never, 'Its probe failed: Expected { status: '],
    ['gives no answer of its kind', () => 'maybe' as never, 'Its probe failed: Expected { status: '],
    ['gives nothing', () => undefined as never, 'Its probe failed: Expected { status: '],
  ])('TOOL-08 a probe that %s asks a person, with what it found', async (_, probe, message) => {
    const paying = payer(probe)
    const { settling } = await killed(paying)
    const { status, suspended } = await settling
    expect(status).toBe('waiting')
    expect(suspended[0]?.suspension).toMatchObject({ reason: 'interrupted', message: expect.stringContaining(message) })
    expect(paying.acted).toHaveLength(1)
  })

  test('TOOL-08 a probe that throws is called three times', async () => {
    const paying = payer(() => Promise.reject(new Error('down')))
    await (
      await killed(paying)
    ).settling
    expect(paying.asked).toHaveLength(3)
  })

  test('TOOL-08 a probe that hangs is abandoned after three tries of 10 s, and its signal fires', async () => {
    const paying = payer(() => new Promise(() => {}))
    const { settling, clock } = await killed(paying)
    for (let tries = 0; tries < 3; tries++) {
      await quiet()
      clock.advance(10_001)
    }
    expect((await settling).suspended[0]?.suspension?.message).toContain('no answer within 10000 ms')
    expect(paying.asked.map(({ signal }) => signal.aborted)).toEqual([true, true, true])
  })

  test('TOOL-08 does not call a probe before a call runs for the first time', async () => {
    const paying = payer(() => ({ status: 'unknown' }))
    paying.release()
    const { agent } = testAgent({ replies: [calls(call('c1', 'pay', { to: 'Ada' })), 'Bye'], tools: [paying.pay] })
    expect((await agent.run('Hi')).status).toBe('done')
    expect(paying.asked).toEqual([])
  })

  test("TOOL-08 a probe's result that does not fit the tool's output schema is a failed result", async () => {
    const paying = payer(() => ({ status: 'done', result: 7 }))
    const strict = { ...paying.pay, output: z.string() }
    const { settling } = await killed({ ...paying, pay: strict })
    const { messages } = await settling
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ isError: true })
  })

  test('TOOL-08 calls a probe after a time-out too: done is the result, and an unknown effect asks a person', async () => {
    for (const [answer, status] of [
      [{ status: 'done', result: 'Paid late' }, 'done'],
      [{ status: 'unknown', evidence: 'No trace' }, 'waiting'],
    ] as const) {
      const paying = payer(() => answer)
      const clock = fakeClock()
      const { agent } = testAgent({
        replies: [calls(call('c1', 'pay', { to: 'Ada' })), 'Bye'],
        tools: [{ ...paying.pay, timeoutMs: 1000 }],
        clock,
      })
      const settling = agent.run('Hi')
      await paying.begun
      await quiet()
      clock.advance(1001)
      expect((await settling).status).toBe(status)
      expect(paying.acted).toHaveLength(1)
    }
  })

  /** Lets a call of a tool time out whose every performance hangs but the last ones, as the test says. */
  async function timedOut(answer: ProbeAnswer, hangs: number) {
    const paying = payer(() => answer)
    const clock = fakeClock()
    const keys: string[] = []
    const execute = async (_: unknown, { idempotencyKey, attempt }: ToolContext) => {
      keys.push(`${attempt} ${idempotencyKey}`)
      return keys.length > hangs ? 'Paid at last' : new Promise<never>(() => {})
    }
    const tools = [{ ...paying.pay, timeoutMs: 1000, execute }]
    const { agent, store } = testAgent({ replies: [calls(call('c1', 'pay', { to: 'Ada' })), 'Bye'], tools, clock })
    const settling = agent.run('Hi', { runId })
    for (let times = 0; times < hangs; times++) {
      await quiet()
      clock.advance(1001)
    }
    return { ...(await settling), keys, store, asked: paying.asked }
  }

  test('TOOL-08 a probe that finds the effect missing after a time-out lets the call run again with its key, if the tool allows it', async () => {
    const { status, messages, keys, store } = await timedOut({ status: 'notDone', runAgain: true }, 1)
    expect(status).toBe('done')
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ content: [{ text: 'Paid at last' }] })
    expect(keys).toEqual(['1 run-1:1.c1:0', '2 run-1:1.c1:0'])
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded' })
  })

  test.each<readonly [string, ProbeAnswer, number]>([
    ['does not allow it', { status: 'notDone' }, 1],
    ['has timed out four times', { status: 'notDone', runAgain: true }, 4],
  ])(
    'TOOL-08 a probe that finds the effect missing after a time-out leaves the call failed if the tool %s',
    async (_, answer, times) => {
      const { status, messages, keys } = await timedOut(answer, times)
      expect(status).toBe('done')
      const text = expect.stringContaining('Timeout: tool "pay"')
      expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ isError: true, content: [{ text }] })
      expect(keys).toHaveLength(times)
    },
  )

  test('TOOL-08 a probe whose verdict is not committed lets nothing run again', async () => {
    const paying = payer(() => ({ status: 'notDone', runAgain: true }))
    const versions: number[] = []
    const look = async () => void versions.push((await store.record(runId)).version)
    const { pay } = paying
    const watched = {
      ...pay,
      execute: async (...given: Parameters<typeof pay.execute>) => (await look(), pay.execute(...given)),
    }
    const store = memoryStore()
    const probing = {
      ...watched,
      probe: async (...given: Parameters<NonNullable<typeof pay.probe>>) => (
        await look(),
        pay.probe?.(...given) as never
      ),
    }
    const { settling } = await killed({ ...paying, pay: probing }, store)
    expect(await settling).toMatchObject({ status: 'done', text: 'Bye' })
    const [first = 0, probed = 0, again = 0] = versions
    expect([probed - first, again > probed, versions.length]).toEqual([0, true, 3])
  })

  test('TOOL-08 refuses a probe that is not a function', () => {
    expect(() => tool({ name: 'x', description: 'x', input, execute: () => '', probe: 'yes' as never })).toThrow(
      UsageError,
    )
  })
})

test('TOOL-08 TST-03 with a probe, no kill at any write asks a person, loses the effect or duplicates it', async () => {
  const scenario: CrashScenario = {
    name: 'a payment with a probe',
    build: (environment) => ({
      name: 'clerk',
      model: scripted([{ toolCalls: [{ id: 'c1', name: 'pay', arguments: { to: 'Ada' } }] }, 'Bye']),
      tools: [
        tool({
          name: 'pay',
          description: 'Pays.',
          input,
          execute: (_, context) => environment.perform(context, 'Paid Ada'),
          probe: ({ callId }) => {
            const result = environment.resultOf(callId)
            return result === undefined ? { status: 'notDone', runAgain: true } : { status: 'done', result }
          },
        }),
      ],
    }),
  }
  const options = {
    storage: (clock: Pick<Clock, 'now'>) => {
      const store = memoryStore({ clock })
      return { reopen: async () => store, dispose: () => store.close() }
    },
  }
  for (const effectAt of ['start', 'end'] as const) {
    const calm = await runTrial(scenario, { order: [], effectAt }, [], options)
    for (const point of pointsUpTo(calm.writes[0] ?? 0)) {
      const trial = await runTrial(scenario, { order: [], effectAt }, [point], options)
      expect([point, trial.interruptions, compareTrials(calm, trial)]).toEqual([point, 0, []])
    }
  }
})
