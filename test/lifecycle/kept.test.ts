import { expect, test } from 'vitest'
import { type AgentEvent, createAgent, type Decision } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

const input = { type: 'object', properties: { n: { type: 'number' } } }

/** A run whose call is held before it suspends, so that decisions come too early. */
async function early(decisions: readonly Omit<Decision, 'target'>[], how: 'replay' | 'use-as-result' = 'replay') {
  const { done, act } = toolbox()
  const gate = Promise.withResolvers<void>()
  const built = testAgent({
    replies: [calls(call('c1', 'gated', { n: 1 })), 'Bye'],
    tools: [act('gated', { needs: 'approval', input, resume: how })],
    plugins: [{ name: 'slow', gateCall: ({ decision }) => (decision === undefined ? gate.promise : undefined) }],
  })
  const run = built.agent.start('Hi', { runId })
  const stream = run.events()
  const events: AgentEvent[] = []
  const told = (async () => {
    for await (const event of stream) events.push(event)
  })()
  const end = run.settled()
  while ((await built.store.calls(runId)).length === 0) await new Promise(setImmediate)
  const answers: string[] = []
  for (const decision of decisions) {
    const [receipt] = await built.store.decide(runId, [{ target: '1.c1', ...decision }], built.clock.now())
    answers.push(receipt?.answer ?? '')
  }
  gate.resolve()
  const result = await end
  await told
  return { ...built, run, done, answers, result, events }
}

interface Case {
  readonly what: string
  readonly decisions: readonly Omit<Decision, 'target'>[]
  readonly answers: readonly string[]
  readonly executed: readonly string[]
  readonly status: string
}

test.for<Case>([
  {
    what: 'an approval (S11)',
    decisions: [{ action: 'resume' }],
    answers: ['kept'],
    executed: ['gated {"n":1}'],
    status: 'succeeded',
  },
  { what: 'a denial', decisions: [{ action: 'cancel' }], answers: ['kept'], executed: [], status: 'cancelled' },
  {
    what: 'edited arguments',
    decisions: [{ action: 'resume', input: { n: 2 } }],
    answers: ['kept'],
    executed: ['gated {"n":2}'],
    status: 'succeeded',
  },
  {
    what: 'a result',
    decisions: [{ action: 'resume', mode: 'use-as-result', result: 'given' }],
    answers: ['kept'],
    executed: [],
    status: 'succeeded',
  },
  {
    what: 'the last of several',
    decisions: [{ action: 'resume' }, { action: 'cancel', reason: 'No' }],
    answers: ['kept', 'kept'],
    executed: [],
    status: 'cancelled',
  },
  {
    what: 'the last of several the other way',
    decisions: [{ action: 'cancel' }, { action: 'resume' }],
    answers: ['kept', 'kept'],
    executed: ['gated {"n":1}'],
    status: 'succeeded',
  },
  {
    what: 'the last of three that go back and forth',
    decisions: [{ action: 'cancel' }, { action: 'resume' }, { action: 'cancel' }],
    answers: ['kept', 'kept', 'kept'],
    executed: [],
    status: 'cancelled',
  },
  {
    what: 'one answer sent twice',
    decisions: [{ action: 'resume' }, { action: 'resume' }],
    answers: ['kept', 'duplicate'],
    executed: ['gated {"n":1}'],
    status: 'succeeded',
  },
])(
  'DEC-06 DEC-04 keeps $what and applies it at the first suspension',
  async ({ decisions, answers, executed, status }) => {
    const outcome = await early(decisions)

    expect(outcome.answers).toEqual(answers)
    expect(outcome.result).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' }, text: 'Bye' })
    expect(outcome.done).toEqual(executed)
    expect(await statusesOf(outcome.store, runId)).toEqual({ '1.c1': status })
    expect((await outcome.run.deny('1.c1', { reason: 'Later' })).answer).toBe('stale')
  },
)

test('DEC-06 drops a kept decision that does not fit, with an event, and leaves the call suspended', async () => {
  const { answers, result, events, done, run } = await early([{ action: 'resume', input: { n: 'x' } }])

  expect(answers).toEqual(['kept'])
  expect(result.suspended.map(({ callId }) => callId)).toEqual(['1.c1'])
  const dropped = events.flatMap((event) => (event.type === 'decision.dropped' ? event.callId : []))
  expect(dropped).toEqual(['1.c1'])
  expect(done).toEqual([])
  expect((await run.approve()).answer).toBe('applied')
  expect((await run.settled()).text).toBe('Bye')
})

test('DEC-06 answers duplicate if a dropped decision is sent again with its id', async () => {
  const slow = heldTool('slow', { input })
  const { agent } = testAgent({ replies: [calls(call('c1', 'slow', { n: 1 })), 'Bye'], tools: [slow.tool] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const { suspend } = await slow.begins('1.c1')
  const misfit: Decision = { target: '1.c1', action: 'resume', input: { n: 'many' }, decisionId: 'd1' }
  const first = await run.decide([misfit])
  slow.finish('1.c1', suspend())
  expect(await end).toMatchObject({ status: 'waiting' })
  const again = await run.decide([misfit])
  expect([...first, ...again].map(({ answer }) => answer)).toEqual(['kept', 'duplicate'])
})

test('DEC-06 treats a kept decision as stale when its call settles without it', async () => {
  const held = heldTool()
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  const kept = await run.deny('1.c1')
  held.finish('1.c1')

  expect([kept.answer, (await end).text]).toEqual(['kept', 'Bye'])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'held done' })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect((await run.approve('1.c1')).answer).toBe('stale')
})

test('DEC-06 a kept decision never answers an interrupted call', async () => {
  const held = heldTool()
  const { agent, store, clock } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  expect((await run.approve('1.c1')).answer).toBe('kept')
  await run.detach()
  await expect(end).rejects.toMatchObject({ code: 'run_detached' })

  const later = testAgent({
    store,
    clock,
    replies: [calls(call('c1', 'held')), 'Bye'],
    tools: [held.tool],
    process: 'p2',
  })
  const result = await (await later.agent.load(runId)).settled()
  expect(result.suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
  expect(held.begun).toEqual(['1.c1'])
})

test('DEC-06 applies a kept decision at the first suspension only, not at a second', async () => {
  const { done, askAgain } = toolbox()
  const gate = Promise.withResolvers<void>()
  const { agent, store, clock } = testAgent({
    replies: [calls(call('c1', 'ask')), 'Bye'],
    tools: [askAgain('ask', 2)],
    plugins: [{ name: 'slow', gateCall: ({ decision }) => (decision === undefined ? gate.promise : undefined) }],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  while ((await store.calls(runId)).length === 0) await new Promise(setImmediate)
  await store.decide(runId, [{ target: '1.c1', action: 'resume' }], clock.now())
  gate.resolve()

  expect((await end).suspended.map(({ suspension }) => suspension?.message)).toEqual(['question 2'])
  expect(done.length).toBe(2)
})

test('DEC-04 DEC-06 a sequential round does not stop at a suspension that a kept decision answers at once', async () => {
  const { done, act } = toolbox()
  const { agent, store } = testAgent({
    executor: 'sequential',
    replies: [calls(call('c1', 'gated'), call('c2', 'act')), 'Bye'],
    tools: [act('gated', { needs: 'approval' }), act()],
    plugins: [
      {
        name: 'decider',
        gateCall: async ({ call: { callId }, decision }) => {
          if (callId === '1.c1' && decision === undefined) await run.approve('1.c1')
        },
      },
    ],
  })
  const run = agent.start('Hi', { runId })

  expect((await run.settled()).text).toBe('Bye')
  expect(done).toEqual(['gated {}', 'act {}'])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded', '1.c2': 'succeeded' })
})

test('DEC-04 does not report as pending a suspension that a kept decision has resolved', async () => {
  const { events } = await early([{ action: 'resume' }])
  const types = events.map(({ type }) => type)

  expect(types).not.toContain('run.waiting')
  expect(types).not.toContain('call.suspended')
})

test('DEC-04 accepts a kept decision from another agent object on the same store', async () => {
  const held = heldTool('held', {})
  const asking = toolNamed('asking', async (_, context) => {
    if (context.decision !== undefined) return 'told'
    await gate.promise
    return context.suspend()
  })
  const gate = Promise.withResolvers<void>()
  const { agent, store, clock } = testAgent({
    replies: [calls(call('c1', 'asking')), 'Bye'],
    tools: [asking, held.tool],
  })
  const run = agent.start('Hi', { runId })
  const events = eventsOf(run)
  while ((await store.calls(runId)).length === 0) await new Promise(setImmediate)
  const other = createAgent({ name: 'test', model: scripted([]), store, clock })
  const receipt = await (await other.load(runId)).approve('1.c1')
  gate.resolve()

  expect(receipt.answer).toBe('kept')
  expect((await events).at(-1)).toMatchObject({ type: 'run.ended', outcome: { reason: 'natural_end' } })
})
