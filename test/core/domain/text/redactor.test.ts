import { array, assert, constantFrom, nat, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../../../src/core/domain/text/redactor.ts'

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

test('TOOL-03 masks texts and keys at every depth of a value', () => {
  const value = { abcdef: ['abcdef', 1, null, { deep: 'is abcdef' }], plain: true }
  expect(redactor.json(value)).toEqual({
    '[secret SHORT]': ['[secret SHORT]', 1, null, { deep: 'is [secret SHORT]' }],
    plain: true,
  })
})

test('TOOL-03 leaves a text unchanged without secrets', () => {
  const none = redactorOf([])
  expect([none.text('abc'), none.stream().push('abc')]).toEqual(['abc', 'abc'])
})

describe('in pieces', () => {
  const joined = (pieces: readonly string[]) => {
    const stream = redactor.stream()
    return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
  }

  test('TOOL-03 holds back only text that may become a secret', () => {
    const stream = redactor.stream()
    const given = ['one ', 'abc', 'x abcdef', '-gh', 'j']
    expect(given.map((piece) => stream.push(piece))).toEqual(['one ', '', 'abcx ', '', '[secret SHORT]-ghj'])
    expect(stream.end()).toBe('')
  })

  test('TOOL-03 masks a text in pieces like the whole text, however it is cut', () => {
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

test('TOOL-03 holds back a whole secret while its end may begin another', () => {
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

test('TOOL-03 holds back a whole secret only while its end may begin a longer one', () => {
  const secrets = [
    { name: 'FIRST', value: 'abcdef' },
    { name: 'SECOND', value: 'efghijklmn' },
  ]
  const stream = redactorOf(secrets).stream()
  expect([stream.push('abcdef'), stream.end()]).toEqual(['', '[secret FIRST]'])
  expect([stream.push('abcdefef'), stream.end()]).toEqual(['[secret FIRST]', 'ef'])
})

describe('with addresses', () => {
  const secrets = [
    { name: 'URL', value: 'db://app:pass-word@host' },
    { name: 'WORD', value: 'pass-word' },
  ]
  const both = redactorOf(secrets, undefined, { addresses: true })

  test('TOOL-03 masks passwords in addresses, and secret query values by their names', () => {
    expect(both.text('x://me:hunter2@h db://app:pass-word@host db://b:pass-word@host ://:@ a://b@c')).toBe(
      'x://me:[secret]@h [secret URL] db://b:[secret WORD]@host ://:@ a://b@c',
    )
  })

  test('TOOL-03 masks addresses in pieces like the whole text, however they are cut', () => {
    const parts = constantFrom(
      'db://app:pass-word@host',
      '://',
      ':',
      '/',
      '@',
      'pass-word',
      'a',
      'x://me:hunter2@h',
      ' ',
    )
    assert(
      property(array(parts), array(nat({ max: 60 })), (texts, cuts) => {
        const whole = texts.join('')
        const places = [...new Set(cuts)].filter((cut) => cut < whole.length).toSorted((a, b) => a - b)
        const stream = both.stream()
        const pieces = [0, ...places].map((from, index) =>
          stream.push(whole.slice(from, places[index] ?? whole.length)),
        )
        expect(pieces.join('') + stream.end()).toBe(both.text(whole))
      }),
      { numRuns: 2_000 },
    )
  })

  test('TOOL-03 reads a text of many pieces and possible addresses a bounded number of times', () => {
    const value = Array.from({ length: 20_000 }, (_, index) => index).join('-')
    const worst = redactorOf([{ name: 'A', value }], undefined, { addresses: true })
    expect(worst.text('://'.repeat(300_000))).toHaveLength(900_000)
    expect(worst.text(`://${'a:'.repeat(500_000)}`)).toHaveLength(1_000_003)
    const stream = worst.stream()
    const text = value.slice(0, -1).repeat(2)
    const pieces = Array.from({ length: text.length / 1_000 }, (_, index) =>
      text.slice(index * 1_000, index * 1_000 + 1_000),
    )
    expect((pieces.map((piece) => stream.push(piece)).join('') + stream.end()).length).toBe(pieces.length * 1_000)
  })
})
