import { describe, expect, test } from 'vitest'
import { scenarios } from '../../proof/crash/scenarios.ts'
import { memoryStorage, objectStorage, sqliteStorage } from '../../proof/crash/storages.ts'
import { sampled } from '../../proof/support/sampled.ts'
import { runTrial } from '../../src/testing/crash/crash-trial.ts'
import { walkCrashes } from '../../src/testing/crash/walk-crashes.ts'

const small = scenarios.filter(({ parallel }) => parallel === undefined)
const forks = small.filter(({ forkedFrom }) => forkedFrom !== undefined)
const others = small.filter(({ forkedFrom }) => forkedFrom === undefined)
const stores = [
  ['memory', memoryStorage],
  ['SQLite', sqliteStorage],
] as const

describe.each(stores)('over %s', (_, storage) => {
  // `test/crash/stored-events.test.ts` walks through the others.
  const chosen = storage === memoryStorage ? [...sampled(others, 2), ...forks] : sampled(small, 8, 1)

  test.each(chosen)(
    'TST-03 TC-08 CKP-03 $name ends the same from every crash point',
    async (scenario) => {
      const report = await walkCrashes(scenario, { storage })
      expect(report.findings).toEqual([])
      expect(report.points).toBeGreaterThan(5)
      expect(report.takeovers).toBeGreaterThan(0)
    },
    60_000,
  )
})

test.each(sampled(small, 12, 3))(
  'SCALE-02 TST-03 $name ends the same from every crash point over the storage of an object',
  async (scenario) => {
    const report = await walkCrashes(scenario, { storage: objectStorage, maxPairs: 4 })
    expect(report.findings).toEqual([])
    expect(report.points).toBeGreaterThan(5)
  },
  60_000,
)

test('TST-03 TC-08 keeps settled siblings of an interrupted call, whatever order they finish in', async () => {
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

test.each([
  'one call',
  'three parallel, one of them once',
  'suspension and approval',
  'two pending, one after the other',
])(
  'TC-08 CKP-05 %s: a process stopped after any of its writes launches nothing once another has finished the run',
  async (name) => {
    const found = scenarios.find((scenario) => scenario.name === name)
    if (found === undefined) throw new Error('The scenario is gone.')
    const scenario = { ...found, parallel: [] }
    for (const [, storage] of stores) {
      const { findings, stops } = await walkCrashes(scenario, { storage, stops: true })
      expect(findings).toEqual([])
      expect(stops).toBeGreaterThan(3)
    }
  },
  60_000,
)
