import { expect, test } from 'vitest'
import { findJson } from '../../../../src/core/effects/model/find-json.ts'

test.each<readonly [text: string, found: readonly unknown[]]>([
  ['Here you are:\n```json\n{"price":1}\n```', [{ price: 1 }]],
  ['{"price":1}\n\nHope this helps!', [{ price: 1 }]],
  ['<think>hm {x} {"price":2}</think>\n{"price":1}', [{ price: 1 }]],
  ['thoughts of a template {"price":2}</think>{"price":1}', [{ price: 1 }]],
  ['<thinking>{"price":2}</thinking> {"price":1}', [{ price: 1 }]],
  ['<think>{"price":2}', []],
  ['\uFEFF{"price":1}', [{ price: 1 }]],
  ['As [the list] says: [1, -2.5e3, true, null]', [[1, -2500, true, null]]],
  ['a {"b":"} \\" {"} c', [{ b: '} " {' }]],
  ['{"a":{"price":1} and so on', []],
  ['{"price":1', []],
  ['{price: 1}', []],
  ['[1] and {"a":[2]}', [[1], { a: [2] }]],
  ['{]', []],
  ['no value', []],
  ['', []],
])('AGT-08 finds the JSON of %j: %j', (text, found) => {
  expect(findJson(text)).toEqual(found)
})

test('AGT-08 reads a text of brackets, quotes or tags once, and returns only a few values', () => {
  const many = 200_000
  for (const part of ['[', '{"', '{"a":', '"', '</think>', '<think>', '[1', '[x']) {
    expect(findJson(part.repeat(many))).toEqual([])
  }
  expect(findJson('{} '.repeat(many))).toHaveLength(16)
})
