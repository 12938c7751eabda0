import { expect, test } from 'vitest'
import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import { readEquivalents } from '../../proof/mutants/equivalents.ts'
import { brokenByGroup } from '../../proof/mutants/broken-by-group.ts'
import { listMutants } from '../../proof/mutants/list-mutants.ts'
import { sampled } from '../../proof/support/sampled.ts'
import { branchesConfigurations } from '../../src/testing/charts/branches-configurations.ts'
import { coverBranches } from '../../src/testing/charts/branches-coverage.ts'
import { exploreBranches } from '../../src/testing/charts/explore-branches.ts'

test.each(branchesConfigurations.map((configuration) => [configuration.name, configuration] as const))(
  'AGT-06 TST-01 every reachable state of %s keeps the rules',
  { timeout: 60_000 },
  (_, configuration) => {
    const { states, findings } = exploreBranches({ configuration })
    expect(findings.slice(0, 5)).toEqual([])
    expect(states).toBeGreaterThan(25)
  },
)

test('AGT-06 TST-01 every transition and guard answer of a group is taken', { timeout: 60_000 }, () => {
  expect(coverBranches().flatMap(({ name, path }) => (path === undefined ? [name] : []))).toEqual([])
})

// `npm run mutants` judges all of them.
test('AGT-06 TST-01 every mutant of the chart of a group breaks a rule', { timeout: 300_000 }, () => {
  const equivalents = readEquivalents()
  const mutants = sampled(listMutants(branchesMachine), 3)
  const unseen = mutants.filter((mutant) => brokenByGroup(mutant) === undefined)
  const excused = mutants.flatMap(({ id }) => (equivalents.has(id) ? [id] : []))
  expect(new Set(unseen.map(({ id }) => id))).toEqual(new Set(excused))
})
