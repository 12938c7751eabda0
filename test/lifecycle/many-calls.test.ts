import { expect, test } from 'vitest'
import { createActor, type InspectionEvent, toPromise } from 'xstate'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'
import { resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'

const many = (count: number) => calls(...Array.from({ length: count }, (_, n) => call(`c${n}`, 'act', { n })))
const equal = (count: number) => calls(...Array.from({ length: count }, (_, n) => call(`c${n}`, 'act')))
const unrun = (most: number) => `[Not executed: an answer may hold at most ${most} calls.]`

/** An agent of which an answer may hold two calls, and a model that asks for four. */
function overfull(options: TestAgentOptions = {}) {
  const { done, act } = toolbox()
  const tools = [act('act', { effects: 'none' })]
  return {
    done,
    ...testAgent({ replies: [many(4), 'Bye'], tools, ...options, limits: { maxCallsPerTurn: 2, ...options.limits } }),
  }
}

const whole = [
  'user: Hi',
  'assistant: calls 1.c0 act, 1.c1 act, 1.c2 act, 1.c3 act',
  '1.c0 succeeded, result 1.c0: act done',
  '1.c1 succeeded, result 1.c1: act done',
  `1.c2 failed, result 1.c2 (error): ${unrun(2)}`,
  `1.c3 failed, result 1.c3 (error): ${unrun(2)}`,
  'assistant: Bye',
]

test("AGT-12 RUN-10 creates no actor and takes no step for calls beyond an answer's maximum", async () => {
  expect(await costOf(2048)).toEqual(await costOf(4))
})

async function costOf(count: number) {
  const cost = { actors: 0, microsteps: 0 }
  const inspect = ({ type }: InspectionEvent) => {
    if (type === '@xstate.actor') cost.actors++
    if (type === '@xstate.microstep') cost.microsteps++
  }
  const { agent, store } = overfull({ replies: [many(count), 'Bye'], inspect, limits: { maxCallsPerTurn: 4 } })
  await agent.run('Hi', { runId })
  expect(await store.calls(runId)).toHaveLength(count)
  return { ...cost, commits: (await store.record(runId)).version }
}

test('AGT-12 TC-06 emits each call beyond the maximum once, in the slot in which the model asked', async () => {
  const { agent, store } = overfull()
  const events = await eventsOf(agent.start('Hi', { runId }))
  expect(await transcriptOf(store, runId)).toEqual(whole)
  const told = events.flatMap((event) => {
    if (event.type === 'call.settled') return `settled ${event.callId} ${event.status}`
    if (event.type === 'toolExecution.started') return `started ${event.callId}`
    return event.type === 'message.ended' && event.message.role === 'toolResult' ? say(event.message) : []
  })
  expect(told).toEqual([
    'settled 1.c2 failed',
    'settled 1.c3 failed',
    `result 1.c2 (error): ${unrun(2)}`,
    `result 1.c3 (error): ${unrun(2)}`,
    'started 1.c0',
    'started 1.c1',
    'settled 1.c0 succeeded',
    'settled 1.c1 succeeded',
    'result 1.c0: act done',
    'result 1.c1: act done',
  ])
})

test.for(['before', 'after'] as const)(
  'AGT-12 CKP-03 a process that dies %s any write gives each call beyond the maximum one result',
  async (side) => {
    const plugins = [{ name: 'listening', afterModel: () => {}, stepEnd: () => {} }]
    const undisturbed = new MortalProcess()
    await overfull({ plugins, store: mortalStore(memoryStore(), undisturbed) }).agent.run('Hi', { runId })
    expect(undisturbed.writes).toBeGreaterThan(4)

    for (let write = 2; write <= undisturbed.writes; write++) {
      const clock = fakeClock()
      const store = memoryStore({ clock })
      const dying = overfull({ plugins, store: mortalStore(store, new MortalProcess({ write, side })), clock })
      await expect(dying.agent.run('Hi', { runId })).rejects.toMatchObject({ code: 'store_unavailable' })
      dying.clock.advance(60_000)
      const next = overfull({ plugins, store, clock: dying.clock, process: 'p2' })
      await (await next.agent.load(runId)).settled()
      expect(await transcriptOf(store, runId), `died ${side} write ${write}`).toEqual(whole)
    }
  },
)

test('AGT-12 CKP-08 history and a fork of the committed answer keep the results of calls beyond the maximum, and have not begun the others', async () => {
  const { agent, store, done, prompts } = overfull()
  const run = agent.start('Hi', { runId })
  await run.settled()
  const answered = (await run.history()).find(({ names }) => names.includes('AssistantTurnCommitted'))
  const from = answered?.version ?? 0
  expect(
    (await run.at(from)).calls.map(({ callId, status, result }) => [callId, status, result && say(result)]),
  ).toEqual([
    ['1.c0', 'running', undefined],
    ['1.c1', 'running', undefined],
    ['1.c2', 'failed', `result 1.c2 (error): ${unrun(2)}`],
    ['1.c3', 'failed', `result 1.c3 (error): ${unrun(2)}`],
  ])
  const fork = await agent.fork(runId, { from, runId: 'fork' })
  expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Bye' })
  expect(await transcriptOf(store, 'fork')).toEqual(whole)
  expect(done).toHaveLength(4)
  expect(prompts.at(-1)).toEqual(prompts.at(-2))
})

test('AGT-12 RUN-05 calls beyond the maximum keep their result if a plugin ends the run before its round', async () => {
  const plugins = [{ name: 'ending', afterModel: ({ terminate }: { terminate: () => void }) => terminate() }]
  const { agent, store, done } = overfull({ plugins })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'plugin_requested' })
  expect(done).toEqual([])
  expect(await statusesOf(store, runId)).toEqual({
    '1.c0': 'cancelled',
    '1.c1': 'cancelled',
    '1.c2': 'failed',
    '1.c3': 'failed',
  })
  expect(Object.values(await resultsOf(store, runId)).slice(2)).toEqual([unrun(2), unrun(2)])
})

test('AGT-12 DEC-01 calls beyond the maximum keep their result if the run is cancelled, and accept no decision', async () => {
  const held = heldTool('act')
  const { agent, store } = overfull({ tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  await held.begins('1.c0')
  expect(await run.decide([{ target: '1.c3', action: 'resume' }])).toMatchObject([{ answer: 'stale' }])
  await run.cancel()
  expect((await run.settled()).outcome).toEqual({ reason: 'cancelled' })
  expect(Object.values(await statusesOf(store, runId))).toEqual(['cancelled', 'cancelled', 'failed', 'failed'])
  expect(Object.values(await resultsOf(store, runId)).slice(2)).toEqual([unrun(2), unrun(2)])
})

test('AGT-12 AGT-17 ignores calls beyond the maximum when it counts repeats', async () => {
  const { agent, store } = overfull({ replies: [equal(5), equal(1), 'Bye'] })
  await agent.run('Hi', { runId })
  expect(await resultsOf(store, runId)).toMatchObject({
    '1.c1': 'act done',
    '1.c4': unrun(2),
    '2.c0': 'act done | [This call has been repeated 3 times with the same result.]',
  })
})

test('AGT-12 AGT-17 a run that stops at repeats stops at the fourth equal call that it would have run', async () => {
  const { agent, store, done } = overfull({ replies: [equal(3), equal(3), 'Bye'], limits: { onRepeat: 'stop' } })
  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'stopped', code: 'loop_detected' })
  expect(done).toHaveLength(3)
  expect(await resultsOf(store, runId)).toMatchObject({
    '1.c2': unrun(2),
    '2.c1': '[Not executed: repeated call.]',
    '2.c2': unrun(2),
  })
})

test('AGT-12 RUN-09 a plain XState actor answers calls beyond the maximum like the engine', async () => {
  const { agent } = overfull()
  const actor = createActor(agent.machine, { input: 'Hi' })
  actor.start()
  const { messages } = await toPromise(actor)
  expect(messages.map(say)).toEqual(whole.map((line) => line.replace(/^1\.c\d \w+, /, '')))
})
