import type { FoundMemory } from '../../core/ports/memory.ts'
import type { StoredRow } from './memory-rows.ts'
import { indexedWords, textIn } from './memory-words.ts'

/** Returns a memory in the form of a query's result. */
export function foundMemory({ kind, json, key, at, session }: StoredRow): FoundMemory {
  return { kind, data: JSON.parse(json), key, at, ...(session === null ? {} : { session }) }
}

/** The rank at which a list counts half; a usual value for merging ranked lists. */
const middleRank = 60

/** Merges lists of numbers by rank: a number with a high rank in several lists comes first. */
export function mergeRanks(lists: readonly (readonly number[])[]): readonly number[] {
  const scores = new Map<number, number>()
  for (const list of lists) {
    for (const [rank, number] of list.entries()) {
      scores.set(number, (scores.get(number) ?? 0) + 1 / (middleRank + rank))
    }
  }
  return [...scores].toSorted(([, left], [, right]) => right - left).map(([number]) => number)
}

/**
 * Replaces the best of several equal memories by the newest one, and moves the others behind all different memories.
 */
export function newestFirst(memories: readonly FoundMemory[]): readonly FoundMemory[] {
  const groups = Map.groupBy(memories, ({ data }) => indexedWords(textIn(data).toLowerCase()).join(' '))
  const sorted = [...groups.values()].map((group) => group.toSorted((left, right) => right.at - left.at))
  return [...sorted.flatMap((group) => group.slice(0, 1)), ...sorted.flatMap((group) => group.slice(1))]
}

/** Returns as many memories as fit together, but always the first. */
export function within(memories: readonly FoundMemory[], most: number): readonly FoundMemory[] {
  let left = most
  return memories.filter(({ data }, place) => {
    left -= Buffer.byteLength(JSON.stringify(data))
    return left >= 0 || place === 0
  })
}
