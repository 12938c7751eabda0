import { expect, test } from 'vitest'
import { withFamilies } from '../../../proof/crash/family-scenarios.ts'
import { sampled } from '../../../proof/support/sampled.ts'
import { memoryStorage, sqliteStorage } from '../../../proof/crash/storages.ts'
import { walkCrashes } from '../../../src/testing/crash/walk-crashes.ts'

// `npm run crash` walks through all of them on both stores.
const storages = [
  ['memory', memoryStorage, withFamilies],
  ['SQLite', sqliteStorage, sampled(withFamilies, 4)],
] as const

test.each(
  storages.flatMap(([kind, storage, scenarios]) =>
    scenarios.map((scenario) => [scenario.name, kind, scenario, storage] as const),
  ),
)(
  'AGT-05 TST-03 %s ends the same, and its member acts once, when killed before and after each write on %s',
  async (_, __, scenario, storage) => {
    const report = await walkCrashes(scenario, { storage })
    expect(
      report.findings.map(({ kind, message, crashes }) => `${kind} ${JSON.stringify(crashes)}: ${message}`),
    ).toEqual([])
    expect(report.points).toBeGreaterThan(15)
  },
)
