import { expect, test } from 'vitest'
import { serveElsewhere } from '../../proof/permissions/elsewhere.ts'
import { ways } from '../../proof/permissions/family-ways.ts'
import { playCombination } from '../../proof/permissions/play-combination.ts'
import { plantedGrants } from '../../proof/permissions/planted-grants.ts'
import { mostUnnoticed, nextLevel, playFamily } from '../../proof/permissions/play-family.ts'

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

test('PERM-06 AGT-06 no member of any kind runs a call that a level denies, or asks about in vain', async () => {
  await using elsewhere = await serveElsewhere(nextLevel)
  const played = new Set<string>()
  for (let seed = 0; seed < 100; seed++) {
    const { faults, ways: links } = await playFamily(seed, elsewhere)
    for (const way of links) played.add(way)
    expect([seed, faults]).toEqual([seed, []])
  }
  expect([...played].toSorted()).toEqual(ways.toSorted())
}, 60_000)

test.each(ways)(
  'TST-01 PERM-06 notices that members of the kind %s forget the rules above',
  async (way) => {
    await using elsewhere = await serveElsewhere(nextLevel)
    for (let seed = 0; seed < mostUnnoticed; seed++)
      if ((await playFamily(seed, elsewhere, way)).faults.length > 0) return
    expect.fail('Nobody has noticed.')
  },
  60_000,
)
