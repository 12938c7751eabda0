import { expect, test } from 'vitest'
import { LeaseWatch } from '../../src/stores/rows/lease-watch.ts'
import { livingOwner } from '../../src/testing/stores/store-suite-fixtures.ts'

const { host, pid, pidStart } = livingOwner('alive') ?? { host: '', pid: 0, pidStart: '' }
const held = { runId: 'run', fence: 1, owner: 'alive', host, pid, pidStart, expires: 100 }

test('CKP-05 an expired lease of a living process is free once it was found unchanged for a time to live', () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  const isFree = (lease = held) => watch.free([lease], 200, 50).length > 0
  expect(isFree()).toBe(false)
  steady = 49
  expect(isFree()).toBe(false)
  expect(isFree({ ...held, expires: 120 })).toBe(false)
  steady = 98
  expect(isFree({ ...held, expires: 120 })).toBe(false)
  steady = 99
  expect(isFree({ ...held, expires: 120 })).toBe(true)
})

test('CKP-05 a lease that was not held for a while is looked at anew', () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  expect(watch.free([held], 200, 50)).toEqual([])
  steady = 60
  expect(watch.free([], 200, 50)).toEqual([])
  expect(watch.free([held], 200, 50)).toEqual([])
  steady = 110
  expect(watch.free([held], 200, 50)).toEqual([held])
})

test('CKP-05 an unexpired lease is free for nobody, and an expired one of another host at once', () => {
  const watch = new LeaseWatch(() => 0)
  const elsewhere = { ...held, host: 'host-elsewhere' }
  expect(watch.free([held, elsewhere], 99, 0)).toEqual([])
  expect(watch.free([elsewhere], 100, 50)).toEqual([elsewhere])
})
