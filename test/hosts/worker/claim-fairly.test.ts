import { expect, test } from 'vitest'
import { claimFairly } from '../../../src/hosts/worker/claim-fairly.ts'

/** Agents with so many runs to be driven, and so many driven already. */
function agents(stored: Readonly<Record<string, number>>, driven: Readonly<Record<string, number>> = {}) {
  const left = new Map(Object.entries(stored))
  const asked: string[] = []
  const shares = Object.keys(stored).map((name) => ({
    driven: driven[name] ?? 0,
    claim: async (limit: number) => {
      asked.push(`${name} ${limit}`)
      const count = Math.min(limit, left.get(name) ?? 0)
      left.set(name, (left.get(name) ?? 0) - count)
      return Array.from({ length: count }, () => name)
    },
  }))
  return { shares, asked }
}

test('SCALE-01 each agent gets its part of the free places, and what one does not use goes to the others', async () => {
  const { shares, asked } = agents({ a: 100, b: 1, c: 100 })
  const found = await claimFairly(shares, 8)
  expect(found.toSorted().join('')).toBe('aaabcccc')
  expect(asked).toEqual(['a 3', 'b 3', 'c 4'])
})

test('SCALE-01 the one free place goes to the agent of which the fewest runs are driven', async () => {
  const { shares } = agents({ a: 100, b: 1 }, { a: 7 })
  expect(await claimFairly(shares, 1)).toEqual(['b'])
  expect(await claimFairly(shares, 1)).toEqual(['a'])
})

test('SCALE-01 nobody is asked without a free place, and each once where nobody has anything', async () => {
  const { shares, asked } = agents({ a: 0, b: 0 })
  expect(await claimFairly(shares, 0)).toEqual([])
  expect(asked).toEqual([])
  expect(await claimFairly(shares, 5)).toEqual([])
  expect(asked).toEqual(['a 3', 'b 5'])
})

test('SCALE-01 what was claimed for one agent is given though asking for the next one fails', async () => {
  const { shares } = agents({ a: 2 })
  const down = { driven: 1, claim: () => Promise.reject(new Error('The store is away.')) }
  expect(await claimFairly([...shares, down], 8)).toEqual(['a', 'a'])
  await expect(claimFairly([...shares, down], 8)).rejects.toThrow('The store is away.')
})
