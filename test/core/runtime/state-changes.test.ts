import { expect, test } from 'vitest'
import type { StateChange } from '../../../src/core/domain/call.ts'
import type { Json } from '../../../src/core/domain/text/json.ts'
import { EngineError } from '../../../src/core/domain/engine-error.ts'
import { applyWrite } from '../../../src/core/runtime/apply-write.ts'
import { RunLog } from '../../../src/core/runtime/run-log.ts'
import { applyChanges } from '../../../src/core/runtime/state-changes.ts'

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
])('RUN-11 changes %j by %j to %j', (state, changes, expected) => {
  const before = JSON.stringify(state)
  expect(applyChanges(state, changes)).toEqual(expected)
  expect(JSON.stringify(state)).toBe(before)
})

test.each([['__proto__'], ['constructor'], ['prototype']])('RUN-11 refuses the key %s in a path', (key) => {
  for (const path of [[key], ['a', key]]) {
    expect(() => applyChanges({}, [{ path, value: 1 }])).toThrow(
      new Error(`State path holds "${key}", which is refused. Use another key.`),
    )
  }
})

test('RUN-11 stores a state of the maximum size, and refuses a larger one with its size', () => {
  const log = new RunLog([], 1)
  const most = 'x'.repeat(50_000_000 - '{"text":""}'.length)
  applyWrite(log, { kind: 'state', changes: [{ path: ['text'], value: most }] }, 0)
  expect(JSON.stringify(log.state).length).toBe(50_000_000)
  expect(() => applyWrite(log, { kind: 'state', changes: [{ path: ['text'], value: `${most}x` }] }, 0)).toThrow(
    new EngineError('The state of a run would have more than 50000000 bytes of JSON. Keep less in it.'),
  )
})
