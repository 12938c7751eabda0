import { createHash } from 'node:crypto'
import type { Json } from '../../core/domain/text/json.ts'

/**
 * The language of the texts in a memory. English words are found in all their forms, words of other languages only as
 * they are written.
 */
export type MemoryLanguage = 'english' | 'plain'

/** The maximum letters of an input that are searched for words, and the maximum different words. */
const mostLetters = 10_000
const mostWords = 64

/**
 * The weight of a word in the previous memory; a word of the memory itself has weight 1. Measured on long
 * conversations.
 */
export const contextWeight = 0.6

const stopWords = new Set(
  `a about after all also am an and any are as at be been before being but by can could did do does doing for from had
  has have he her hers him his how i if in into is it its just me my no not of on or our ours she should so some than
  that the their theirs them then there these they this those to too us very was we were what when where which while who
  whom whose why will with would you your yours`.split(/\s+/),
)

/** Returns the words of an input to search for. Common words are omitted, unless the input has only such words. */
export function wordsIn(input: string, language: MemoryLanguage): readonly string[] {
  const words = indexedWords(input.slice(0, mostLetters).toLowerCase())
  const telling = language === 'english' ? words.filter((word) => !stopWords.has(word)) : words
  return [...new Set(telling.length === 0 ? words : telling)].slice(0, mostWords)
}

/** Letters of scripts without blanks between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/**
 * Returns the words of a text for the index. In a script without spaces, each pair of adjacent characters is a word.
 */
export function indexedWords(text: string): readonly string[] {
  const spaced = text.replaceAll(unspaced, (run) => {
    const letters = [...run]
    const pairs = letters.slice(1).map((letter, place) => `${letters[place]}${letter}`)
    return ` ${pairs.length === 0 ? run : pairs.join(' ')} `
  })
  return spaced.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** Returns a user id, whatever its characters, as a single word of the index. */
export function ownerOf(userId: string): string {
  return createHash('sha256').update(userId).digest('hex')
}

/** Returns the texts in some data, without the names of fields. */
export function textIn(data: Json): string {
  if (typeof data === 'string') return data
  if (data === null || typeof data !== 'object') return String(data)
  return Object.values(data).map(textIn).join('\n')
}
