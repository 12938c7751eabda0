import { expect, test } from 'vitest'
import { scenarios } from '../../scripts/crash/scenarios.ts'
import { memoryStorage } from '../../scripts/crash/storages.ts'
import type { CrashScenario } from '../../src/testing/crash-scenario.ts'
import { walkCrashes } from '../../src/testing/crash-walk.ts'
import {
  acknowledgingEarly,
  claimingIdempotence,
  forgettingDecisions,
  losingIntent,
  splittingCommits,
  withRandomKeys,
} from './planted-bugs.ts'

function scenarioNamed(name: string): CrashScenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`No scenario "${name}".`)
  return found
}

const storage = memoryStorage
const kindsOf = ({ findings }: Awaited<ReturnType<typeof walkCrashes>>) => new Set(findings.map(({ kind }) => kind))

test('TST-03 the walk notices a commit in two pieces', async () => {
  const report = await walkCrashes(scenarioNamed('two turns of one call'), { storage, wrapStore: splittingCommits })
  expect(kindsOf(report)).toContain('stuck')
}, 60_000)

test('TST-03 the walk notices effects performed before their commit', async () => {
  const report = await walkCrashes(scenarioNamed('one call'), { storage, wrapStore: acknowledgingEarly })
  expect(kindsOf(report)).toContain('intent')
}, 60_000)

test('TST-03 the walk notices that a started call is not on record', async () => {
  const report = await walkCrashes(scenarioNamed('suspension and approval'), { storage, wrapStore: losingIntent })
  expect(kindsOf(report)).toContain('intent')
  expect(report.doubled).toBeGreaterThan(0)
}, 60_000)

test('TST-03 the walk notices a decision that is not kept', async () => {
  const report = await walkCrashes(scenarioNamed('denied'), { storage, wrapStore: forgettingDecisions })
  expect(kindsOf(report)).toContain('stuck')
}, 60_000)

test('TST-03 the walk notices random idempotency keys', async () => {
  const scenario = claimingIdempotence(scenarioNamed('one call'))
  expect((await walkCrashes(scenario, { storage })).findings).toEqual([])
  expect((await walkCrashes(withRandomKeys(scenario), { storage })).doubled).toBeGreaterThan(0)
}, 60_000)
