import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, hashText, type Json, toPlainJson } from '../../../../src/core/domain/text/json.ts'
import { copyJson } from '../../../../src/core/domain/text/json-copy.ts'
import { parseJson } from '../../../../src/core/domain/text/parse-json.ts'

const refused = new Set(['__proto__', 'constructor', 'prototype'])

/** The result of the platform's own JSON, with the keys that a store refuses. */
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

test('CKP-03 copies any value as JSON would', () => {
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
for (let depth = 0; depth < 200; depth++) deep = { deep }

test.each<{ what: string; value: unknown }>([
  { what: 'a cycle', value: cycle },
  { what: 'deep nesting', value: deep },
  { what: 'a refused key', value: JSON.parse('{"a":{"__proto__":1}}') },
  { what: 'an own toJSON', value: { toJSON: () => 'told' } },
  { what: 'a toJSON that is not a function', value: { toJSON: 1 } },
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
])('CKP-03 copies $what as JSON would', ({ value }) => {
  expect(toPlainJson(value)).toStrictEqual(asJsonSeesIt(value))
})

test('CKP-03 returns a copy that shares no object with the original', () => {
  const value = { list: [{ a: 1 }] }
  const copy = toPlainJson(value) as { list: { a: number }[] }
  const [item] = value.list
  if (item !== undefined) item.a = 2
  expect(copy).toEqual({ list: [{ a: 1 }] })
})

/** An object in an object, so many times. */
function nested(depth: number): unknown {
  let value: unknown = 'bottom'
  for (let left = depth; left > 0; left--) value = left % 2 === 0 ? { value } : [value]
  return value
}

/** A hundred objects, each of which stands twice in the next: 2^100 texts of a thousand letters. */
function doubling(): unknown {
  let value: unknown = 'bottom'.repeat(200)
  for (let left = 100; left > 0; left--) value = [value, value]
  return value
}

const endless = {
  toJSON: () => ({ next: endless }),
}

const tooDeep = 'is nested more than 200 objects and lists deep, or contains itself'

test.each<[string, unknown, string]>([
  ['one level too deep', nested(201), tooDeep],
  ['a million levels deep', nested(1_000_000), tooDeep],
  ['a cycle', cycle, tooDeep],
  ['a toJSON that never ends', endless, tooDeep],
  ['more as a text than any memory', doubling(), 'is too large: at most 50000000 bytes of JSON are accepted'],
  ['a list of a billion holes', Array(1_000_000_000), 'is too large: at most 50000000 bytes of JSON are accepted'],
  ['a refused key', JSON.parse('{"a":{"__proto__":1}}'), 'has the key "__proto__", which is not allowed'],
  ['a big integer in a box', Object(1n), 'is not JSON: it contains a big integer'],
  ['a symbol', Symbol('s'), 'is not JSON: it is a symbol'],
  ['a proxy whose traps throw', new Proxy({}, { ownKeys: () => raise('no keys') }), 'could not be read: no keys'],
  ['a proxy that was revoked', revoked(), expect.stringContaining('could not be read')],
])(
  'CKP-03 CKP-09 says what is wrong with %s',
  (_what, value, problem) => {
    expect(copyJson(value)).toEqual({ problem })
    expect(toPlainJson(value)).toBeUndefined()
  },
  60_000,
)

test('CKP-03 reads a value that contains itself once, however large it is', () => {
  let reads = 0
  const value = {
    get text() {
      reads++
      return 'x'.repeat(1_000_000)
    },
    within: [] as unknown[],
  }
  value.within.push({ back: value })
  expect(copyJson(value)).toEqual({ problem: tooDeep })
  expect(reads).toBe(1)
  const shared = ['twice']
  expect(copyJson({ one: shared, two: shared })).toEqual({ value: { one: ['twice'], two: ['twice'] } })
})

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function raise(message: string): never {
  throw new Error(message)
}

test('CKP-03 accepts values up to the maximum depth and size', () => {
  expect(copyJson(nested(200)).problem).toBeUndefined()
  for (const text of ['x', 'é', '\u0001']) {
    const value = [text.repeat(10)]
    const bytes = Buffer.byteLength(JSON.stringify(value))
    expect(copyJson(value, { mostBytes: bytes })).toEqual({ value })
    expect(copyJson(value, { mostBytes: bytes - 1 }).problem).toContain('is too large')
  }
})

test.each<[string, unknown]>([
  ['no number', { a: Number.NaN }],
  ['a hole in a list', [1, undefined]],
  ['a function', { a: () => 1 }],
  ['a class instance', { a: new Date(0) }],
  ['a toJSON', { toJSON: () => 1 }],
])('DEC-06 refuses %s where changes are not allowed', (_what, value) => {
  expect(copyJson(value, { isStrict: true }).problem).toContain('is not JSON')
  expect(copyJson({ a: undefined, b: 1 }, { isStrict: true })).toEqual({ value: { b: 1 } })
})

test('CKP-03 reads each field once', () => {
  let reads = 0
  const value = {
    get count() {
      return ++reads
    },
  }
  expect(copyJson([value])).toEqual({ value: [{ count: 1 }] })
  expect(reads).toBe(1)
})

test('CKP-09 reads a stored text of any depth, and finds a refused key in it in every spelling', () => {
  const deepText = `${'['.repeat(100_000)}{"a\\u0062":1}${']'.repeat(100_000)}`
  expect(parseJson(deepText)).toBeInstanceOf(Array)
  for (const key of ['__proto__', '\\u005f_proto__', 'constructor', 'prototyp\\u0065']) {
    expect(() => parseJson(deepText.replace('a\\u0062', key))).toThrow('is refused')
  }
})

test('DEC-06 writes equal values as equal texts, in any order of keys', () => {
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

test('DEC-06 writes every own key of a value, in the order of which stores have hashes', () => {
  const value = JSON.parse('{"b":{"10":1,"9":2},"__proto__":{"a":1}}') as Json
  expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"b":{"10":1,"9":2}}')
  expect(canonicalJson(undefined)).toBe('null')
})

test.each([
  ['', '0bdcb81aee8d83'],
  ['a', '1c2ba782c97901'],
  ['{"city":"Oslo"}', '1c0f41d196f56f'],
  ['\u{1F600}', '10ca036ef9b4ae'],
  ['x'.repeat(1000), '1a7942aee5273b'],
])('CKP-07 gives text %# the same hash as in stores written before', (text, hash) => {
  expect(hashText(text)).toBe(hash)
})

test.each<[string, unknown]>([
  ['a text', 'x'.repeat(30)],
  ['a number', 1234.5],
  ['marks and nothing', [true, false, null]],
  ['a long name', { ['k'.repeat(30)]: 1 }],
  ['names and values in one another', { a: { bc: [1, 'two', { d: null }] }, e: [] }],
])('CKP-03 accepts %s of exactly the maximum number of bytes, and refuses one byte more', (_what, value) => {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  expect(copyJson(value, { mostBytes: bytes })).toEqual({ value })
  expect(copyJson(value, { mostBytes: bytes - 1 }).problem).toBe(
    `is too large: at most ${bytes - 1} bytes of JSON are accepted`,
  )
})

test('CKP-03 passes toJSON the key of its value, as JSON does', () => {
  const named = { toJSON: (key: string) => `<${key}>` }
  for (const value of [named, { a: named }, [named]]) {
    expect(copyJson(value)).toEqual({ value: JSON.parse(JSON.stringify(value)) })
  }
})
