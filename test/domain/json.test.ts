import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type Json, toPlainJson } from '../../src/domain/json.ts'

const refused = new Set(['__proto__', 'constructor', 'prototype'])

/** What the platform's own JSON makes of a value, with the keys a store refuses. */
function asJsonSeesIt(value: unknown): unknown {
  try {
    const text = JSON.stringify(value)
    if (text === undefined) return undefined
    return JSON.parse(text, (key, item: unknown) => {
      if (refused.has(key)) throw new Error('refused')
      return item
    })
  } catch {
    return undefined
  }
}

const anyValue = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})

test('CKP-03 copies a value as JSON sees it, whatever it is', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(toPlainJson(value)).toStrictEqual(asJsonSeesIt(value))
    }),
    { numRuns: 5000 },
  )
})

const cycle: { self?: unknown } = {}
cycle.self = cycle
let deep: unknown = 'bottom'
for (let depth = 0; depth < 2000; depth++) deep = { deep }

test.each<{ what: string; value: unknown }>([
  { what: 'a cycle', value: cycle },
  { what: 'deep nesting', value: deep },
  { what: 'a refused key', value: JSON.parse('{"a":{"__proto__":1}}') },
  { what: 'an own toJSON', value: { toJSON: () => 'told' } },
  { what: 'a toJSON that is no function', value: { toJSON: 1 } },
  { what: 'a negative zero', value: [-0] },
  { what: 'a lone surrogate', value: '\ud800' },
  {
    what: 'a class instance',
    value: new (class Point {
      x = 1
    })(),
  },
  { what: 'undefined in an array', value: [undefined] },
  { what: 'undefined in an object', value: { a: undefined, b: 1 } },
  { what: 'a function', value: () => 1 },
  {
    what: 'a getter that throws',
    value: {
      get late() {
        throw new Error('boom')
      },
    },
  },
])('CKP-03 copies $what as JSON sees it', ({ value }) => {
  expect(toPlainJson(value)).toStrictEqual(asJsonSeesIt(value))
})

test('CKP-03 gives a copy that shares nothing with what it was made of', () => {
  const value = { list: [{ a: 1 }] }
  const copy = toPlainJson(value) as { list: { a: number }[] }
  const [item] = value.list
  if (item !== undefined) item.a = 2
  expect(copy).toEqual({ list: [{ a: 1 }] })
})

test('DEC-06 writes equal values as equal texts, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const turned = JSON.parse(JSON.stringify(value), (_, item: unknown) =>
        item !== null && typeof item === 'object' && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).toReversed())
          : item,
      ) as Json
      expect(canonicalJson(turned)).toBe(canonicalJson(value as Json))
      expect(JSON.parse(canonicalJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
