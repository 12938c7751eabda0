import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../../src/core/domain/text/json.ts'
import { PartialOutput } from '../../../../src/core/effects/model/partial-output.ts'

/** The output emitted after each piece. */
function read(pieces: readonly string[]): readonly (Json | undefined)[] {
  const partial = new PartialOutput()
  return pieces.map((piece) => partial.add(piece))
}

test.each<[readonly string[], readonly unknown[]]>([
  [
    ['{"city"', ':"Be', 'rn","people":134', '591', '}'],
    [{}, { city: 'Be' }, { city: 'Bern' }, undefined, { city: 'Bern', people: 134_591 }],
  ],
  [
    ['{"a":tr', 'ue,', '"b', '":nu', 'll}'],
    [{}, { a: true }, undefined, undefined, { a: true, b: null }],
  ],
  [
    ['[{"a":', '[1,', '2'],
    [[{}], [{ a: [1] }], undefined],
  ],
  [
    ['{"a":"x\\', 'n\\u0', '0e9"'],
    [{ a: 'x' }, { a: 'x\n' }, { a: 'x\né' }],
  ],
  [
    ['{"a":"\\\\', '\\\\u', '1'],
    [{ a: '\\' }, { a: '\\\\u' }, { a: '\\\\u1' }],
  ],
  [
    ['{"a":"}', ']"'],
    [{ a: '}' }, { a: '}]' }],
  ],
  [
    ['``', '`js', 'on\n', ' {"a":1}\n```'],
    [undefined, undefined, undefined, { a: 1 }],
  ],
  [['{"__proto__":{"a":1}}'], [JSON.parse('{"__proto__":{"a":1}}')]],
  [
    ['{}', '{"a":1}'],
    [{}, undefined],
  ],
])('AGT-08 EVT-02 reads the partial JSON of %j while it streams', (pieces, told) => {
  expect(read(pieces)).toEqual(told)
})

test.each([
  [['The city is ', '{"a":1}']],
  [['"Bern', '"']],
  [['12', '3']],
  [['```ts\n', '{"a":1}']],
  [['{a', ':1}', ' {"b":1}']],
  [[' '.repeat(101), '{"a":1}']],
])('AGT-08 EVT-02 emits nothing more once the text is not a JSON object or list: %j', (pieces) => {
  expect(read(pieces).filter((told) => told !== undefined && JSON.stringify(told) !== '{}')).toEqual([])
})

test('AGT-08 EVT-02 emits every object in the end, however it is split, and only valid JSON before', () => {
  const cut = fc.tuple(
    fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
    fc.integer({ min: 1, max: 9 }),
  )
  fc.assert(
    fc.property(cut, fc.boolean(), ([value, size], isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 2 : 0)
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      )
      const told = read(pieces).filter((each) => each !== undefined)
      expect(told.at(-1)).toEqual(JSON.parse(text))
    }),
    { seed: 11, numRuns: 300 },
  )
})

test('AGT-08 EVT-02 reads a long answer a number of times that does not grow with the number of its pieces', () => {
  const text = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => `item ${n}`) })
  const pieces = Array.from({ length: Math.ceil(text.length / 4) }, (_, n) => text.slice(n * 4, n * 4 + 4))
  const told = read(pieces)
  const readings = told.filter((each) => each !== undefined).length
  expect(pieces.length).toBeGreaterThan(60_000)
  expect(readings).toBeLessThan(2_500)
  expect(told.at(-1)).toEqual(JSON.parse(text))
})
