import { expect, test } from 'vitest'
import { createActor, createMachine, toPromise, waitFor } from 'xstate'
import type { Decision } from '../../../src/index.ts'
import { z } from 'zod'
import { call, calls } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

function asking() {
  const { done, act } = toolbox()
  const tools = [act('write', { needs: 'approval', input: z.object({ text: z.string() }) })]
  const replies = [calls(call('c1', 'write', { text: 'Hi' })), 'Bye']
  return { done, ...testAgent({ replies, tools }) }
}

async function waiting() {
  const parts = asking()
  const actor = createActor(parts.agent.machine, { input: 'Hi' })
  actor.start()
  const { context } = await waitFor(actor, ({ value }) => value === 'waiting')
  const suspensionId = context.calls['1.c1']?.suspension?.id ?? ''
  const decide = async (...items: readonly Decision[]) =>
    (await parts.agent.decide(actor, items)).map(({ answer, message }) =>
      message === undefined ? answer : [answer, message],
    )
  return { ...parts, actor, suspensionId, decide }
}

test('RUN-09 DEC-06 answers each decision for a bare actor as a store would', async () => {
  const { decide, actor, suspensionId, done } = await waiting()
  expect(await decide({ target: 'nobody', action: 'resume' })).toEqual([
    ['unknown', 'No call or suspension "nobody" in this run. Suspended calls: 1.c1.'],
  ])
  expect(await decide({ target: '1.c1', action: 'resume', input: { text: 7 } })).toEqual([
    ['refused', expect.stringContaining('The input does not fit')],
  ])
  expect(await decide({ target: '1.c1', action: 'maybe' as never })).toEqual([
    ['refused', expect.stringContaining('"action" is "maybe"')],
  ])
  expect(await decide({ target: '1.c1', action: 'resume' }, { target: suspensionId, action: 'cancel' })).toEqual([
    ['refused', expect.stringContaining('contradict')],
    ['refused', expect.stringContaining('contradict')],
  ])
  expect(actor.getSnapshot().value).toBe('waiting')

  expect(await decide({ target: '1.c1', action: 'resume', input: { text: 'Ho' } })).toEqual(['applied'])
  expect(await decide({ target: '1.c1', action: 'resume', input: { text: 'Ho' } })).toEqual(['duplicate'])
  expect(await decide({ target: suspensionId, action: 'cancel' })).toEqual([
    ['stale', 'This suspension has been answered already.'],
  ])
  expect((await toPromise(actor)).outcome).toEqual({ reason: 'natural_end' })
  expect(done).toEqual(['write {"text":"Ho"}'])
  expect(await decide({ target: '1.c1', action: 'cancel' })).toEqual([['stale', 'Call "1.c1" has settled.']])
})

test("RUN-09 DEC-06 keeps a decision for a call that has not asked yet, and applies it at the call's first suspension", async () => {
  const { act, done } = toolbox()
  const held = Promise.withResolvers<void>()
  const gate = {
    name: 'gate',
    gateCall: async () => (await held.promise, { suspend: { reason: 'approval' as const } }),
  }
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()], plugins: [gate] })
  const actor = createActor(agent.machine, { input: 'Hi' })
  actor.start()
  await waitFor(actor, ({ context }) => context.calls['1.c1'] !== undefined)
  expect(await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])).toMatchObject([{ answer: 'kept' }])
  held.resolve()
  expect((await toPromise(actor)).outcome).toEqual({ reason: 'natural_end' })
  expect(done).toEqual(['act {}'])
})

test('RUN-09 a denied call answers with the reason', async () => {
  const { decide, actor, done } = await waiting()
  expect(await decide({ target: 'c1', action: 'cancel', reason: 'Not today.' })).toEqual(['applied'])
  const { messages } = await toPromise(actor)
  expect(messages[2]).toMatchObject({ role: 'toolResult', content: [{ type: 'text', text: 'Not today.' }] })
  expect(done).toEqual([])
})

test('RUN-09 refuses to decide for a foreign actor, and refuses decisions that are not a list', async () => {
  const { agent, actor } = await waiting()
  const stranger = createActor(createMachine({}))
  await expect(agent.decide(stranger as never, [])).rejects.toMatchObject({ name: 'UsageError', code: 'bad_actor' })
  await expect(asking().agent.decide(actor, [])).rejects.toMatchObject({ code: 'bad_actor' })
  await expect(agent.decide(actor, { target: '1.c1' } as never)).rejects.toMatchObject({ code: 'bad_decision' })
  actor.stop()
  await expect(agent.decide(actor, [{ target: '1.c1', action: 'resume' }])).rejects.toThrow('This actor was stopped')
})
