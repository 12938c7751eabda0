import type { Leases } from '../../ports/leases.ts'
import { checkFree, checkHeld, driverOf, isHeld } from '../rows/lease-rules.ts'
import { freed } from './commit.ts'
import { storedRun } from './memory-run.ts'
import type { WorkParts } from './work.ts'

/** The part of a store in memory that says who drives a run. */
export function createLeases({ opened, runOf, watchers, clock }: WorkParts): Leases {
  return {
    async claim(runId, owner, ttlMs, found) {
      const now = clock.now()
      const run = runOf(runId)
      const stored = storedRun(run)
      if (stored.record.status === 'done') return { run: stored }
      checkFree(runId, run.lease, now, found)
      const fence = run.lease.fence + 1
      run.lease = {
        fence,
        owner: owner.id,
        host: owner.host,
        pid: owner.pid,
        pidStart: owner.pidStart,
        expires: now + ttlMs,
      }
      return { lease: { runId, owner: { ...owner }, fence }, run: stored }
    },

    async renew(lease, ttlMs) {
      const run = runOf(lease.runId)
      checkHeld(lease, run.lease)
      run.lease = { ...run.lease, expires: clock.now() + ttlMs }
    },

    async isDriven(runId) {
      return driverOf(runOf(runId).lease, clock.now()) !== undefined
    },

    async release(lease) {
      const run = opened().get(lease.runId)
      if (run === undefined || !isHeld(lease, run.lease)) return
      run.lease = freed(run.lease)
      watchers.notifyOfWork()
    },
  }
}
