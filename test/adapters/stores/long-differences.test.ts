import { expect, test } from 'vitest'
import { pick, randomFrom } from '../../../proof/support/random.ts'
import { readDocument } from '../../../src/adapters/stores/sqlite/checkpoint-documents.ts'
import { decodeDifference, encodeDifference, longestText } from '../../../src/adapters/stores/sqlite/text-difference.ts'
import { allocatedBytes } from './allocated-bytes.ts'

const twelve = 'abcdefghijkl'

/** Words in an order that does not repeat, so that only another text holds a long piece of it. */
function prose(length: number): string {
  const random = randomFrom(7)
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  let text = ''
  while (text.length < length) {
    for (let left = 3 + Math.floor(random() * 6); left > 0; left--) text += pick([...letters], random)
    text += ' '
  }
  return text.slice(0, length)
}

test('CKP-08 a text of many pieces that point into itself is put together in memory of its own size', () => {
  const count = 20_000
  // Each piece points at what the ones before it came to.
  const difference = `c:${twelve}${'0,c;'.repeat(count)}`
  const text = twelve.repeat(count + 1)
  let read: string | undefined
  expect(allocatedBytes(() => (read = decodeDifference('', difference)))).toBeLessThan(100 * text.length)
  expect(read === text).toBe(true)
})

test.each([40_000, 120_000, 400_000])(
  'CKP-04 keeps of a text of %i characters only what was changed in it',
  (length) => {
    const text = prose(length)
    const before = text.replace(text.slice(length / 2, length / 2 + 8), 'CHANGED!')
    const difference = encodeDifference(before + before, text)
    expect(difference.length).toBeLessThan(200)
    expect(decodeDifference(before + before, difference) === text).toBe(true)
  },
)

test('CKP-08 reads what was written with a table too small for the text', () => {
  // As the first 120,000 characters of a text came to: nearly all of it is new to a table of 2,048 places.
  const text = prose(120_000)
  const difference = `${(100_000).toString(36)}:${text.slice(0, 100_000)}${(100_000).toString(36)},${(20_000).toString(36)};`
  expect(decodeDifference(text, difference) === text).toBe(true)
})

/** Each piece doubles the text. */
function doubling(times: number): string {
  const pieces = Array.from({ length: times }, (_, index) => `0,${(2 ** (4 + index)).toString(36)};`)
  return `g:0123456789abcdef${pieces.join('')}`
}

test('CKP-09 a difference that claims more than any text is damage, and none of it is made', () => {
  expect(decodeDifference('', doubling(3))).toHaveLength(2 ** 7)
  const difference = doubling(Math.log2(longestText) - 3)
  expect(difference.length).toBeLessThan(250)
  let read: string | undefined = ''
  expect(allocatedBytes(() => (read = decodeDifference('', difference)))).toBeLessThan(100_000)
  expect(read?.length).toBe(undefined)
  expect(readDocument([`~0.00000000000000.${difference}`])).toBe(undefined)
})

test('CKP-09 new text that is longer than the difference is damage', () => {
  expect(decodeDifference('', `${longestText.toString(36)}:x`)).toBe(undefined)
  expect(decodeDifference('', 'zzzzzzzz:x')).toBe(undefined)
})
