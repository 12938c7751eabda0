import { expect, test } from 'vitest'
import { originalText, safeText } from '../../../src/adapters/stores/postgres/safe-text.ts'

const texts = [
  '',
  'plain "quoted" \\u0000 text',
  '\0',
  'a\0b\0',
  '\x10',
  '\x100000',
  '\x10\0\x10',
  '\ud800',
  '\udc00\ud800',
  'a\udfffb',
  '𝄞\ud834',
  '\ud834𝄞',
  '\x1f\x7f\ufffe\uffff',
]

test('CKP-06 Postgres: reads a text back unchanged, with NUL, lone surrogates and their escape character', () => {
  expect(texts.map((text) => originalText(safeText(text)))).toEqual(texts)
})

test('CKP-06 Postgres: stores no NUL and no lone surrogate, and never stores two texts as one', () => {
  const stored = texts.map(safeText)
  expect(stored.filter((text) => text.includes('\0') || !text.isWellFormed())).toEqual([])
  expect(new Set(stored).size).toBe(texts.length)
})

test('CKP-06 Postgres: stores JSON unchanged', () => {
  const json = JSON.stringify(texts)
  expect(safeText(json)).toBe(json)
})
