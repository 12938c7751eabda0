import { array, assert, constantFrom, nat, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/domain/redactor.ts'

const redactor = redactorOf([
  { name: 'SHORT', value: 'abcdef' },
  { name: 'LONG', value: 'abcdef-ghi' },
  { name: 'ODD', value: 'a.b*[$&\n$1' },
  { name: 'EMPTY', value: '' },
])

test.each([
  ['nothing', 'nothing'],
  ['x abcdef y abcdef', 'x [secret SHORT] y [secret SHORT]'],
  ['abcdef-ghi', '[secret LONG]'],
  ['abcdef-gh', '[secret SHORT]-gh'],
  ['=a.b*[$&\n$1=', '=[secret ODD]='],
])('TOOL-03 masks %j', (text, masked) => {
  expect(redactor.text(text)).toBe(masked)
})

test('TOOL-03 masks texts and keys of a value at every depth', () => {
  const value = { abcdef: ['abcdef', 1, null, { deep: 'is abcdef' }], plain: true }
  expect(redactor.json(value)).toEqual({
    '[secret SHORT]': ['[secret SHORT]', 1, null, { deep: 'is [secret SHORT]' }],
    plain: true,
  })
})

test('TOOL-03 changes nothing without secrets', () => {
  const none = redactorOf([])
  expect([none.text('abc'), none.stream().push('abc')]).toEqual(['abc', 'abc'])
})

describe('in pieces', () => {
  const joined = (pieces: readonly string[]) => {
    const stream = redactor.stream()
    return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
  }

  test('TOOL-03 keeps back only what may become a secret', () => {
    const stream = redactor.stream()
    const given = ['one ', 'abc', 'x abcdef', '-gh', 'j']
    expect(given.map((piece) => stream.push(piece))).toEqual(['one ', '', 'abcx ', '', '[secret SHORT]-ghj'])
    expect(stream.end()).toBe('')
  })

  test('TOOL-03 masks the same as the whole text, however it is cut', () => {
    const text = array(constantFrom('abcdef', 'abcdef-ghi', 'a.b*[$&\n$1', 'abc', 'def', '-ghi', 'a', '.', ' ')).map(
      (parts) => parts.join(''),
    )
    assert(
      property(text, array(nat({ max: 40 })), (whole, cuts) => {
        const places = [...new Set(cuts)].filter((cut) => cut < whole.length).toSorted((a, b) => a - b)
        const pieces = [0, ...places].map((from, index) => whole.slice(from, places[index] ?? whole.length))
        expect(joined(pieces)).toBe(redactor.text(whole))
      }),
    )
  })
})

test('TOOL-03 keeps a whole secret back while its end may begin another', () => {
  const stream = redactorOf([
    { name: 'FIRST', value: 'abcdef' },
    { name: 'SECOND', value: 'efghij' },
  ]).stream()
  expect([stream.push('say abcdef'), stream.push('x'), stream.push('ef'), stream.end(), stream.end()]).toEqual([
    'say ',
    '[secret FIRST]x',
    '',
    'ef',
    '',
  ])
})

test('TOOL-03 keeps a whole secret back while its end may begin a longer one, and no longer', () => {
  const secrets = [
    { name: 'FIRST', value: 'abcdef' },
    { name: 'SECOND', value: 'efghijklmn' },
  ]
  const stream = redactorOf(secrets).stream()
  expect([stream.push('abcdef'), stream.end()]).toEqual(['', '[secret FIRST]'])
  expect([stream.push('abcdefef'), stream.end()]).toEqual(['[secret FIRST]', 'ef'])
})
