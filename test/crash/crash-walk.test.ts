import { expect, test } from 'vitest'
import { scenarios } from '../../proof/crash/scenarios.ts'
import { memoryStorage, objectStorage, sqliteStorage } from '../../proof/crash/storages.ts'
import { isWhole, sampled } from '../../proof/support/sampled.ts'
import { runTrial } from '../../src/testing/crash/crash-trial.ts'
import { walkCrashes } from '../../src/testing/crash/walk-crashes.ts'
import { readAtEnd } from './read-at-end.ts'

/** Scenarios whose process is also stopped after each of its writes, and woken once another has finished the run. */
const stopped = [
  'one call',
  'three parallel, one of them once',
  'suspension and approval',
  'two pending, one after the other',
]
const toStop = scenarios.flatMap((scenario) => (stopped.includes(scenario.name) ? [{ ...scenario, parallel: [] }] : []))
// The gate plays each once, one of eight on SQLite and another on the storage of an object. `npm run crash` plays all on both stores.
// A family of three levels holds one of two.
const held = isWhole ? [] : ['a family of 2 levels', 'a family of 2 levels that asks']
const small = scenarios.filter(
  ({ name, parallel }) => parallel === undefined && !stopped.includes(name) && !held.includes(name),
)
const onSqlite = sampled(small, 8, 1)
const onObject = sampled(small, 8, 7)
const onMemory = isWhole ? small : small.filter((one) => !onSqlite.includes(one) && !onObject.includes(one))
const walks = [
  ...onMemory.map((scenario) => [scenario.name, 'memory', scenario, memoryStorage] as const),
  ...onSqlite.map((scenario) => [scenario.name, 'SQLite', scenario, sqliteStorage] as const),
  ...onObject.map((scenario) => [scenario.name, 'the storage of an object', scenario, objectStorage] as const),
]

test.each(walks)(
  'TST-03 TC-08 CKP-03 EVT-04 AGT-05 SCALE-02 %s ends the same from every crash point over %s, with its events in order, each once',
  async (_, __, scenario, storage) => {
    const found: string[] = []
    // The events of a fork begin in another run.
    const isRead = scenario.forkedFrom === undefined
    const report = await walkCrashes(scenario, {
      storage: isRead ? (clock) => readAtEnd(storage(clock), found) : storage,
    })
    expect([...found, ...report.findings]).toEqual([])
    expect(report.points).toBeGreaterThan(5)
    expect(report.takeovers).toBeGreaterThan(0)
  },
  60_000,
)

test('TST-03 TC-08 keeps settled siblings of an interrupted call, in any order of finishing', async () => {
  const scenario = scenarios.find(({ name }) => name === 'three parallel, one of them once')
  if (scenario === undefined) throw new Error('The scenario is gone.')
  const { findings, points } = await walkCrashes({ ...scenario, parallel: ['a', 'b'] }, { storage: memoryStorage })
  expect(findings).toEqual([])
  expect(points).toBeGreaterThan(75)
}, 60_000)

test.each([
  ['before', 'no fork', { takeovers: 0, writes: [1, 6] }],
  ['after', 'a whole one', { takeovers: 1, writes: [1, 4] }],
] as const)('CKP-08 TST-03 a process that dies %s it forks leaves %s to the next', async (side, _, counts) => {
  const scenario = scenarios.find(({ name }) => name === 'fork of a finished run')
  if (scenario === undefined) throw new Error('The scenario is gone.')
  const interleaving = { order: [], effectAt: 'end' } as const
  const trial = await runTrial(scenario, interleaving, [{ write: 1, side }], { storage: memoryStorage })
  const effect = { toolName: 'append', callId: '2.b', idempotencyKey: 'crashed:2.b:0', result: 'append did 2.b' }
  expect(trial).toMatchObject({ effects: [effect], problems: [], ...counts })
})

test('TST-03 lists the available checkpoints if the run to fork lacks the requested one', async () => {
  const [scenario] = scenarios.filter(({ name }) => name === 'text only')
  if (scenario === undefined) throw new Error('The scenario is gone.')
  const walk = walkCrashes({ ...scenario, forkedFrom: 'ToolResultsCommitted' }, { storage: memoryStorage })
  await expect(walk).rejects.toThrow(
    'The run to be forked has no checkpoint "ToolResultsCommitted" when it first rests. ' +
      'It has: UserMessage, AssistantTurnCommitted, RunFinished.',
  )
})

test.each(['suspension and approval', 'suspended again'])(
  'TST-03 DEC-05 %s survives two crashes in one run',
  async (name) => {
    const scenario = scenarios.filter((candidate) => candidate.name === name)
    for (const one of scenario) {
      const report = await walkCrashes(one, { storage: memoryStorage, maxPairs: 60 })
      expect(report).toMatchObject({ pairs: 60, findings: [] })
    }
  },
  60_000,
)

// The gate plays each on one of the two stores.
test.each(
  toStop.flatMap((scenario, at) =>
    [
      [scenario.name, 'memory', scenario, memoryStorage] as const,
      [scenario.name, 'SQLite', scenario, sqliteStorage] as const,
    ].filter((_, store) => isWhole || store === at % 2),
  ),
)(
  'TC-08 CKP-05 EVT-04 CKP-03 %s on %s: a process stopped after any of its writes launches nothing once another has finished the run',
  async (_, __, scenario, storage) => {
    const found: string[] = []
    const { findings, stops } = await walkCrashes(scenario, {
      storage: (clock) => readAtEnd(storage(clock), found),
      stops: true,
    })
    expect([...found, ...findings]).toEqual([])
    expect(stops).toBeGreaterThan(3)
  },
  60_000,
)
