import { expect, test } from 'vitest'
import { playFamilies } from '../../proof/simulation/family-accounts.ts'

test('AGT-18 TST-08 random families under kills never overdraw their account, and charge every request to it', async () => {
  const { runs, faults, found, refused, unknown } = await playFamilies(40, 1)
  expect(found.map(({ story }) => story)).toEqual([])
  expect({ runs, isFaulty: faults >= runs, isRefused: refused > 0, isUnknown: unknown > 0 }).toEqual({
    runs: 40,
    isFaulty: true,
    isRefused: true,
    isUnknown: true,
  })
}, 600_000)
