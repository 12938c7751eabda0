import { expect, test } from 'vitest'
import { LeaseWatch } from '../../../src/core/stores/rows/lease-watch.ts'
import { livingOwner } from '../../../src/testing/stores/store-suite-fixtures.ts'

const { host, pid, pidStart } = livingOwner('alive') ?? { host: '', pid: 0, pidStart: '' }
const held = { runId: 'run', fence: 1, owner: 'alive', host, pid, pidStart, expires: 100 }
const look = { agents: ['a'], now: 200, ttlMs: 50 }

test('CKP-05 an expired lease of a living process is free after it was unchanged for one lifetime', () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  const isFree = (lease = held) => watch.free([lease], look).length > 0
  expect(isFree()).toBe(false)
  steady = 49
  expect(isFree()).toBe(false)
  expect(isFree({ ...held, expires: 120 })).toBe(false)
  steady = 98
  expect(isFree({ ...held, expires: 120 })).toBe(false)
  steady = 99
  expect(isFree({ ...held, expires: 120 })).toBe(true)
})

test('SCALE-01 CKP-05 a lease that was first seen before it expired is free at its expiry, if one lifetime has passed', () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  const isFree = (now: number) => watch.free([held], { ...look, now }).length > 0
  expect(isFree(50)).toBe(false)
  steady = 49
  expect(isFree(99)).toBe(false)
  // The clock by which leases expire was set forward.
  expect(isFree(100)).toBe(false)
  steady = 50
  expect(isFree(99)).toBe(false)
  expect(isFree(100)).toBe(true)
})

test("CKP-05 a check of one agent's runs keeps the knowledge about another agent's", () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  expect(watch.free([held], look)).toEqual([])
  expect(watch.free([], { ...look, agents: ['b'] })).toEqual([])
  steady = 50
  expect(watch.free([], { ...look, agents: ['b'] })).toEqual([])
  expect(watch.free([held], look)).toEqual([held])
})

test('CKP-05 a lease that was free for a while is watched from the beginning', () => {
  let steady = 0
  const watch = new LeaseWatch(() => steady)
  expect(watch.free([held], look)).toEqual([])
  steady = 60
  expect(watch.free([], look)).toEqual([])
  expect(watch.free([held], look)).toEqual([])
  steady = 110
  expect(watch.free([held], look)).toEqual([held])
})

test("CKP-05 an unexpired lease is free for nobody, and another host's expired lease is free at once", () => {
  const watch = new LeaseWatch(() => 0)
  const elsewhere = { ...held, host: 'host-elsewhere' }
  expect(watch.free([held, elsewhere], { ...look, now: 99, ttlMs: 0 })).toEqual([])
  expect(watch.free([elsewhere], { ...look, now: 100 })).toEqual([elsewhere])
})
