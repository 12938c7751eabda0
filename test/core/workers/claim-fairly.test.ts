import { expect, test } from 'vitest'
import { claimFairly } from '../../../src/core/workers/claim-fairly.ts'

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

test('SCALE-01 each agent gets its share of the free places, and unused shares go to the others', async () => {
  const { shares, asked } = agents({ a: 100, b: 1, c: 100 })
  const found = await claimFairly(shares, 8, unexpected)
  expect(found.toSorted().join('')).toBe('aaabcccc')
  expect(asked).toEqual(['a 3', 'b 3', 'c 4'])
})

test('SCALE-01 the one free place goes to the agent with the fewest driven runs', async () => {
  const { shares } = agents({ a: 100, b: 1 }, { a: 7 })
  expect(await claimFairly(shares, 1, unexpected)).toEqual(['b'])
  expect(await claimFairly(shares, 1, unexpected)).toEqual(['a'])
})

test('SCALE-01 asks no agent without a free place, and each once if none has work', async () => {
  const { shares, asked } = agents({ a: 0, b: 0 })
  expect(await claimFairly(shares, 0, unexpected)).toEqual([])
  expect(asked).toEqual([])
  expect(await claimFairly(shares, 5, unexpected)).toEqual([])
  expect(asked).toEqual(['a 3', 'b 5'])
})

test('SCALE-01 asks the other agents if asking for one fails, and reports the failure', async () => {
  const { shares } = agents({ a: 2 }, { a: 2 })
  const failure = new Error('The store is away.')
  const told: unknown[] = []
  for (const driven of [0, 3]) {
    const down = { driven, claim: () => Promise.reject(failure) }
    const { shares: others } = agents({ a: 2 }, { a: 2 })
    expect(await claimFairly([down, ...others], 8, (error) => void told.push(error))).toEqual(['a', 'a'])
    expect(told.splice(0)).toEqual([failure])
  }
  expect(await claimFairly(shares, 8, unexpected)).toEqual(['a', 'a'])
  const down = { driven: 0, claim: () => Promise.reject(failure) }
  await expect(claimFairly([down, ...shares], 8, unexpected)).rejects.toThrow('The store is away.')
})

function unexpected(error: unknown): never {
  throw error
}
