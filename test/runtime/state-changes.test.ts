import { expect, test } from 'vitest'
import type { StateChange } from '../../src/domain/call.ts'
import type { Json } from '../../src/domain/json.ts'
import { applyChanges } from '../../src/runtime/state-changes.ts'

test.each<[Json, readonly StateChange[], Json]>([
  [{ a: 1 }, [], { a: 1 }],
  [{ a: 1 }, [{ path: ['b'], value: 2 }], { a: 1, b: 2 }],
  [{ a: { b: 1, c: 2 } }, [{ path: ['a', 'b'], value: 3 }], { a: { b: 3, c: 2 } }],
  [{}, [{ path: ['a', 'b', 'c'], value: 1 }], { a: { b: { c: 1 } } }],
  [{ a: 1 }, [{ path: ['a', 'b'], value: 2 }], { a: { b: 2 } }],
  [{ a: [1] }, [{ path: ['a', '0'], value: 2 }], { a: { '0': 2 } }],
  [{ a: 'xy' }, [{ path: ['a', 'b'], value: 2 }], { a: { b: 2 } }],
  [{ a: null }, [{ path: ['a', 'b'], value: 2 }], { a: { b: 2 } }],
  [{ a: 1, b: 2 }, [{ path: ['a'] }], { b: 2 }],
  [{ a: { b: 1, c: 2 } }, [{ path: ['a', 'b'] }], { a: { c: 2 } }],
  [{}, [{ path: ['a', 'b'] }], { a: {} }],
  [{ a: 1 }, [{ path: ['a'], value: null }], { a: null }],
  [{ a: 1 }, [{ path: [], value: { b: 2 } }], { b: 2 }],
  [{ a: 1 }, [{ path: [] }], null],
  [
    {},
    [
      { path: ['a'], value: 1 },
      { path: ['a'], value: 2 },
      { path: ['b'], value: 3 },
    ],
    { a: 2, b: 3 },
  ],
])('RUN-11 makes of %j by %j: %j', (state, changes, expected) => {
  const before = JSON.stringify(state)
  expect(applyChanges(state, changes)).toEqual(expected)
  expect(JSON.stringify(state)).toBe(before)
})

test.each([['__proto__'], ['constructor'], ['prototype']])('RUN-11 refuses the key %s on the way', (key) => {
  for (const path of [[key], ['a', key]]) {
    expect(() => applyChanges({}, [{ path, value: 1 }])).toThrow(
      new Error(`State path holds "${key}", which is refused. Use another key.`),
    )
  }
})
