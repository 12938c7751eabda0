import { createHash } from 'node:crypto'
import type { Json } from '../../../core/domain/text/json.ts'

/** Letters of an input that are looked through for words, and different words that are searched for. */
const mostLetters = 10_000
const mostWords = 64

/** The words of an input. They are searched for as texts: what has a meaning in a query language is none of them. */
export function wordsIn(input: string): readonly string[] {
  const words =
    input
      .slice(0, mostLetters)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].slice(0, mostWords)
}

/** A user as one word of the index, whatever letters the id has. */
export function ownerOf(userId: string): string {
  return createHash('sha256').update(userId).digest('hex')
}

/** The texts of some data, names of fields left out. */
export function textIn(data: Json): string {
  if (typeof data === 'string') return data
  if (data === null || typeof data !== 'object') return String(data)
  return Object.values(data).map(textIn).join('\n')
}
