import { expect, test } from 'vitest'
import { bearWitness } from '../../proof/xstate-6/bear-witness.ts'
import { fewConfigurations } from '../../proof/xstate-6/few-configurations.ts'
import { plantedFaults } from '../../proof/xstate-6/planted-faults.ts'

// All configurations: npm run witness.
test('TST-01 XState 6 takes each step of the converted charts like XState 5 and our tables', () => {
  const { compared, unexplained } = bearWitness(fewConfigurations)
  expect(unexplained.slice(0, 3)).toEqual([])
  expect(compared).toBeGreaterThan(250)
})

test.each(Object.entries(plantedFaults))('TST-01 finds a conversion in which %s', (_, given) => {
  const { unexplained } = bearWitness({ ...fewConfigurations, branches: [], given, isQuick: true })
  expect(unexplained.length).toBeGreaterThan(0)
})
