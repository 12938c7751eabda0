import { expect, test } from 'vitest'
import { playCombination } from '../../proof/permissions/play-combination.ts'

test('PERM-02 no call runs that nobody allowed, in combinations of policy, manager, rules, needs, plugins and answers', async () => {
  let performed = 0
  for (let seed = 0; seed < 300; seed++) {
    const played = await playCombination(seed)
    performed += played.performed
    expect([seed, played.faults]).toEqual([seed, []])
  }
  expect(performed).toBeGreaterThan(100)
})
