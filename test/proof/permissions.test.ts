import { expect, test } from 'vitest'
import { playCombination } from '../../proof/permissions/play-combination.ts'
import { plantedGrants } from '../../proof/permissions/planted-grants.ts'

test('PERM-02 no call runs without permission, in combinations of policy, manager, rules, needs, plugins and answers', async () => {
  let performed = 0
  for (let seed = 0; seed < 150; seed++) {
    const played = await playCombination(seed)
    performed += played.performed
    expect([seed, played.faults]).toEqual([seed, []])
  }
  expect(performed).toBeGreaterThan(50)
})

test.each(plantedGrants)('TST-01 PERM-04 300 combinations are enough to notice that %s', async (_, store) => {
  for (let seed = 0; seed < 300; seed++) {
    const { faults } = await playCombination(seed, store())
    if (faults.length > 0) return
  }
  expect.fail('Nobody has noticed.')
})
