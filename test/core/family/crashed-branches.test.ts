import { expect, test } from 'vitest'
import { branchScenarios, walkBranches } from '../../../proof/crash/branch-walk.ts'
import { isWhole, sampled } from '../../../proof/support/sampled.ts'
import { memoryStorage, sqliteStorage } from '../../../proof/crash/storages.ts'

// The gate plays the larger in memory and the other on SQLite, and of three points one; `npm run crash` plays all.
const storages = [
  ['memory', memoryStorage, sampled(branchScenarios, 2)],
  ['SQLite', sqliteStorage, sampled(branchScenarios, 2, 1)],
] as const

test.each(
  storages.flatMap(([kind, storage, scenarios]) =>
    scenarios.map((scenario) => [scenario.name, kind, scenario, storage] as const),
  ),
)(
  'AGT-06 TST-03 %s ends the same, and its branches act once, when killed before and after a write on %s',
  { timeout: 300_000 },
  async (_, __, scenario, storage) => {
    const { points, findings } = await walkBranches(scenario, storage, (all) => sampled(all, 3))
    expect(findings).toEqual([])
    expect(points).toBeGreaterThan(isWhole ? 30 : 10)
  },
)
