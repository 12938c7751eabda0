import { expect, test } from 'vitest'
import { memoryStorage, sqliteStorage } from '../../proof/crash/storages.ts'
import { scenarios } from '../../proof/crash/scenarios.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { checkpointsOf, resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { type AgentOptions, createAgent, type Plugin } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { walkCrashes } from '../../src/testing/index.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'

type Interpreter = NonNullable<AgentOptions['interpreter']>

/** Everything that a durable run leaves and emits: an approval, a retry, steering, a plugin, a limit, another process. */
async function played(interpreter: Interpreter, options: TestAgentOptions = {}) {
  const clock = fakeClock()
  const store = sqliteStore(`${await temporaryFolder()}/runs.db`, { synchronous: 'normal', clock })
  const seen: string[] = []
  const watching: Plugin = {
    name: 'watching',
    stepStart: ({ turn }) => void seen.push(`step ${turn}`),
    reviewCall: ({ call: { toolName } }) => void seen.push(`review ${toolName}`),
    runEnd: () => void seen.push('end'),
  }
  const { act, done } = toolbox()
  const given = {
    replies: [calls(call('c1', 'act', { n: 1 }), call('c2', 'gated')), calls(call('c3', 'act', { n: 3 })), 'Bye'],
    tools: [act('act', { effects: 'none' }), act('gated', { needs: 'approval', effects: 'none' })],
    plugins: [watching],
    onPartialSuspension: 'wait' as const,
    ...options,
    interpreter,
    store,
    clock,
  }
  const first = testAgent(given)
  const run = first.agent.start('Hi', { runId })
  const events = await eventsOf(run)
  await first.agent.close()
  const second = testAgent({ ...given, process: 'p2' })
  const again = await second.agent.load(runId)
  await again.steer('Hurry.')
  const { suspended } = await again.result()
  for (const { callId } of suspended) await again.approve(callId)
  const result = await again.settled()
  const left = {
    result,
    transcript: await transcriptOf(store, runId),
    checkpoints: await checkpointsOf(store, runId),
    results: await resultsOf(store, runId),
    statuses: await statusesOf(store, runId),
  }
  await store.close()
  return { done, seen, events: events.map(({ type }) => type), ...left }
}

test("RUN-09 CKP-03 stores and emits the same, whether tables or XState's own actors step a durable run", async () => {
  const byTables = await played('tables')
  expect(byTables.result.status).toBe('done')
  expect(await played('xstate')).toEqual(byTables)
  const limits = { maxTurns: 1 }
  expect(await played('xstate', { limits })).toEqual(await played('tables', { limits }))
})

const walked = ['two turns of one call', 'steered between two calls', 'fork of a waiting run, approved']

test.each(scenarios.filter(({ name }) => walked.includes(name)).map((scenario) => [scenario.name, scenario] as const))(
  "RUN-09 CKP-03 CKP-06 loses and duplicates nothing if XState's own actors step, killed at every write: %s",
  { timeout: 60_000 },
  async (_, scenario) => {
    const build: typeof scenario.build = (environment) => ({ ...scenario.build(environment), interpreter: 'xstate' })
    for (const storage of [memoryStorage, sqliteStorage]) {
      const report = await walkCrashes({ ...scenario, build }, { storage })
      expect(report).toMatchObject({ lost: 0, doubled: 0, findings: [] })
      expect(report.points).toBeGreaterThan(4)
    }
  },
)

test('RUN-09 refuses an unknown interpreter', () => {
  const options = { name: 'x', model: scripted('Hi'), interpreter: 'official' }
  expect(() => createAgent(options as never)).toThrow('Expected tables or xstate.')
})
