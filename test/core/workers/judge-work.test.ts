import { expect, test } from 'vitest'
import { judgeFailure, judgeWork } from '../../../src/core/workers/judge-work.ts'
import type { StoredRun } from '../../../src/core/ports/stored-run.ts'

const facts = { now: 10_000, maxFailures: 5, isSuspectDriven: false }
const lease = { runId: 'run', owner: { id: 'o', host: 'h', pid: 1, pidStart: '' }, fence: 1 }
const run = {} as StoredRun

test.each([
  { failures: 0, wasHeld: false, isSuspectDriven: true, until: 'now' },
  { failures: 1, wasHeld: true, isSuspectDriven: true, until: 'now' },
  { failures: 2, wasHeld: true, isSuspectDriven: false, until: 11_000 },
  { failures: 4, wasHeld: true, isSuspectDriven: false, until: 14_000 },
  { failures: 5, wasHeld: true, isSuspectDriven: false, until: undefined },
  { failures: 4, wasHeld: false, isSuspectDriven: false, until: 'now' },
  { failures: 2, wasHeld: false, isSuspectDriven: true, until: 11_000 },
])('CKP-05 drives a claimed run, leaves it alone for a while or sets it aside: %j', (row) => {
  const { failures, wasHeld, isSuspectDriven, until } = row
  const judged = judgeWork({ lease, run, failures, wasHeld }, { ...facts, isSuspectDriven })
  expect(judged === undefined ? 'now' : judged.until).toBe(until)
  expect(judged?.failures ?? failures).toBe(failures)
})

test('CKP-09 sets an unreadable run aside at once, with the reason', () => {
  const judged = judgeWork({ lease, run: { damaged: 'row 3' }, failures: 0, wasHeld: false }, facts)
  expect(judged).toEqual({ failures: 0, problem: 'row 3' })
})

test('CKP-05 retries a failed drive after doubled times of up to five minutes, then sets the run aside', () => {
  const until = (failures: number) => judgeFailure(failures, 'boom', { now: 0, maxFailures: 20 }).until
  expect([1, 2, 3, 4, 15, 20].map(until)).toEqual([1000, 1000, 2000, 4000, 300_000, undefined])
})
