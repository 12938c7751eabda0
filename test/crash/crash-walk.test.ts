import { describe, expect, test } from 'vitest'
import { scenarios } from '../../scripts/crash/scenarios.ts'
import { memoryStorage, sqliteStorage } from '../../scripts/crash/storages.ts'
import { walkCrashes } from '../../src/testing/crash-walk.ts'

const small = scenarios.filter(({ parallel }) => parallel === undefined)
const stores = [
  ['memory', memoryStorage],
  ['SQLite', sqliteStorage],
] as const

describe.each(stores)('over %s', (_, storage) => {
  const chosen = storage === memoryStorage ? small : small.filter((_scenario, index) => index % 5 === 1)

  test.each(chosen)(
    'TST-03 TC-08 CKP-03 $name comes to the same end from every crash point',
    async (scenario) => {
      const report = await walkCrashes(scenario, { storage })
      expect(report.findings).toEqual([])
      expect(report.points).toBeGreaterThan(6)
      expect(report.takeovers).toBeGreaterThan(0)
    },
    60_000,
  )
})

test('TST-03 TC-08 keeps settled siblings of an interrupted call, in whatever order they finish', async () => {
  const scenario = scenarios.find(({ name }) => name === 'three parallel, one of them once')
  if (scenario === undefined) throw new Error('The scenario is gone.')
  const { findings, points } = await walkCrashes({ ...scenario, parallel: ['a', 'b'] }, { storage: memoryStorage })
  expect(findings).toEqual([])
  expect(points).toBeGreaterThan(80)
}, 60_000)

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
