import { describe, expect, test } from 'vitest'
import { acknowledgingEarly, creatingInTwo, renewingAnything } from '../../proof/crash/planted-bugs.ts'
import { scenarios } from '../../proof/crash/scenarios.ts'
import { postgresStorage } from '../../proof/crash/storages.ts'
import { hasPostgres, sayNoPostgres } from '../../proof/support/postgres-server.ts'
import { walkCrashes } from '../../src/testing/crash/walk-crashes.ts'

sayNoPostgres('crashes over Postgres are')

function scenarioNamed(name: string) {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`No scenario "${name}".`)
  return found
}

describe.skipIf(!hasPostgres)('over Postgres', () => {
  test.each(['one call', 'fork of a finished run'])(
    'TST-03 TC-08 CKP-03 %s ends the same from every crash point',
    async (name) => {
      const report = await walkCrashes(scenarioNamed(name), { storage: postgresStorage })
      expect(report.findings).toEqual([])
      expect(report.points).toBeGreaterThan(5)
      expect(report.takeovers).toBeGreaterThan(0)
    },
  )

  test.each([
    ['effects performed before their commit', 'one call', acknowledgingEarly, 'intent'],
    ['a fork in two pieces', 'fork of a finished run', creatingInTwo, 'lost'],
    ['a lease that is renewed though another has it', 'one call', renewingAnything, 'doubled'],
  ] as const)('TST-03 the walk notices %s', async (_, name, wrapStore, kind) => {
    const report = await walkCrashes(scenarioNamed(name), { storage: postgresStorage, stops: true, wrapStore })
    expect(report.findings.map((finding) => finding.kind)).toContain(kind)
  })
})
