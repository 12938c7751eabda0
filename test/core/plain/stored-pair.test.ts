import { expect, test } from 'vitest'
import { getShortestPaths } from '@xstate/graph'
import { type AnyStateMachine, createActor, transition } from 'xstate'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import { uninterrupted } from '../../../proof/fixtures/fixture-end.ts'
import { fixtureAgent, fixtureId, type FixtureRun, forkId } from '../../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { recordRun } from '../../../proof/fixtures/recording.ts'
import { type FakeClock, fakeClock } from '../../../proof/support/fake-clock.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { type Agent, type Run, UsageError } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

type Actor = Parameters<Agent['decide']>[0]

/** The parts of a run that a recording's answers use, on an actor without a store. */
function asRun(agent: Agent, actor: Actor, clock: FakeClock): Run {
  const decide = async (target: string | undefined, action: 'resume' | 'cancel', more: object = {}) => {
    const [first] = agent.standing(actor).suspended
    const receipts = await agent.decide(actor, [{ target: target ?? first?.callId ?? '', action, ...more }])
    expect(receipts.map(({ answer }) => answer)).toEqual(['applied'])
  }
  return {
    id: fixtureId,
    result: async () => agent.standing(actor),
    approve: (target?: string) => decide(target, 'resume'),
    deny: (target?: string, more?: object) => decide(target, 'cancel', more),
    edit: (target: string | undefined, input: unknown) => decide(target, 'resume', { input }),
    respond: (target: string | undefined, result: unknown) =>
      decide(target, 'resume', { mode: 'use-as-result', result }),
    cancel: async () => actor.send({ type: 'run.cancelRequested', at: clock.now() }),
  } as unknown as Run
}

/** Drives an actor to its end as its fixture is driven, and gives how it ended. */
async function drivenOn(fixture: FixtureRun, agent: Agent, actor: Actor, clock: FakeClock) {
  const approveAll = async (run: Run) => {
    for (const { callId } of (await run.result()).suspended) await run.approve(callId)
  }
  const { answer = approveAll } = fixture
  for (let looks = 0; looks < 400; looks++) {
    const { status, value, output } = actor.getSnapshot()
    if (status !== 'active') return { outcome: output?.outcome, hasText: typeof output?.text === 'string' }
    if (value === 'waiting') await answer(asRun(agent, actor, clock), clock)
    await quiet()
    if (looks % 20 === 19) clock.advance(1000)
  }
  throw new Error(`The actor rests in ${JSON.stringify(actor.getSnapshot().value)}.`)
}

test.each(fixtureRuns.map((fixture) => [fixture.name, fixture] as const))(
  'RUN-09 CKP-07 returns the snapshot and log of a stored run, and an XState actor drives them to the end: %s',
  async (_, fixture) => {
    const { outcome } = await uninterrupted(fixture)
    const { schema, moments } = await recordRun(fixture)
    using place = temporaryFolder()
    let driven = 0
    for (const [name, rows] of moments) {
      const path = place.file(`${name}.db`)
      restoreDump(path, [schema, rows])
      const clock = fakeClock()
      const store = sqliteStore(path, { synchronous: 'normal', clock })
      // Code of some fixtures waits until a driver has processed what it posts; a bare actor has no inbox.
      const { agent } = fixtureAgent(fixture, { ...store, inbox: async () => [] }, 2, clock)
      const reader = fixtureAgent(fixture, store, 3, clock).agent
      const ids = (await store.list()).map(({ id }) => id)
      const id = ids.includes(forkId) ? forkId : fixtureId
      const { document, checkpoint } = await store.read(id)
      const text = document ?? checkpoint?.document ?? '{"root":null}'
      const given = await reader.snapshot(id).catch((error: { readonly code?: string }) => error.code)
      expect(given === 'run_busy').toBe(text.includes('"root":null'))
      if (typeof given !== 'object') {
        await store.close()
        continue
      }
      driven++
      const kept = structuredClone(given)
      const actor = createActor(agent.provide({ log: kept.log }), { snapshot: kept.snapshot }).start()
      expect({ name, ...(await drivenOn(fixture, agent, actor, clock)) }).toEqual({ name, outcome, hasText: true })
      actor.stop()
      await store.close()
    }
    expect(driven).toBeGreaterThan(0)
  },
)

test('RUN-09 refuses to return the snapshot of an unknown run or of a run that has not begun', async () => {
  const { agent } = testAgent({ replies: ['Hi'] })
  agent.start('Hi', { runId, drive: false })
  await quiet()
  await expect(agent.snapshot(runId)).rejects.toMatchObject({ code: 'run_busy' })
  await expect(agent.snapshot('nobody')).rejects.toMatchObject({ code: 'run_unknown' })
})

test("RUN-09 refuses to step an agent's machine by pure functions, and steps the chart from a run's snapshot", async () => {
  const { agent } = testAgent({
    replies: [calls(call('c1', 'ask'))],
    tools: [toolbox().act('ask', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  const machine: AnyStateMachine = runMachine
  const event = { type: 'run.cancelRequested', at: 1 }
  const snapshot = createActor(machine, { snapshot: (await agent.snapshot(runId)).snapshot }).getSnapshot()
  expect(transition(machine, snapshot, event)[0].value).toEqual({ running: { closing: 'settlingCalls' } })
  const acting = agent.machine as unknown as AnyStateMachine
  const input = agent.machineInput('Hi')
  expect(() => transition(acting, snapshot, event)).toThrow('transition() and getShortestPaths() take runMachine')
  expect(() => getShortestPaths(acting, { input, events: [event] })).toThrow(UsageError)
})

test('RUN-09 reads the snapshot and the decisions of a run from the same commit', async () => {
  const store = memoryStore()
  const { agent } = testAgent({
    store,
    replies: [calls(call('c1', 'ask')), 'Done'],
    tools: [toolbox().act('ask', { needs: 'approval' })],
  })
  await agent.run('Hi', { runId })
  let isFirst = true
  const busy: Store = {
    ...store,
    async inbox(id, filter) {
      if (isFirst) {
        isFirst = false
        const run = await agent.load(runId)
        await run.approve()
        await run.settled()
      }
      return store.inbox(id, filter)
    },
  }
  const { snapshot, log } = await testAgent({ store: busy, replies: [] }).agent.snapshot(runId)
  const actor = createActor(agent.provide({ log }), { snapshot }).start()
  expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { outcome: { reason: 'natural_end' } } })
})

test("RUN-09 recognises a later prompt's own messages by the gaps in the entry numbers", async () => {
  const { agent } = testAgent({
    replies: [calls(call('a', 'act')), 'One', calls(call('b', 'ask')), 'Two'],
    tools: [toolbox().act('act'), toolbox().act('ask', { needs: 'approval' })],
  })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  const run = await session.prompt('More')
  await run.settled()
  const { snapshot, log } = await agent.snapshot(run.id)
  expect(log.entries.at(-1)?.seq).toBeGreaterThan(log.entries.length)
  const actor = createActor(agent.provide({ log }), { snapshot })
  const carriedOf = (given: unknown) => (given as { readonly plain: { readonly carried: number } }).plain.carried
  expect(carriedOf(actor.start().getPersistedSnapshot())).toBe(carriedOf(snapshot))
  actor.stop()
})
