import type { Leases } from '../../ports/leases.ts'
import type { Lease } from '../../ports/stored-run.ts'
import type { Postponement } from '../../ports/work.ts'
import { untilRetry } from '../rows/failed-rows.ts'
import { checkFree, checkHeld, isHeld } from '../rows/lease-rules.ts'
import { freed, type MemoryRun, versionOf } from './commit.ts'
import { storedRun } from './memory-run.ts'
import type { WorkParts } from './work.ts'

/** Returns the part of a store in memory that manages leases. */
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

    async release(lease, postponement) {
      if (postponement !== undefined) {
        postpone(runOf(lease.runId), lease, postponement)
        return
      }
      const run = opened().get(lease.runId)
      if (run === undefined || !isHeld(lease, run.lease)) return
      run.lease = freed(run.lease)
      watchers.notifyOfWork()
    },
  }
}

function postpone(run: MemoryRun, lease: Lease, { until, failures, problem }: Postponement): void {
  checkHeld(lease, run.lease)
  run.lease = { ...freed(run.lease), expires: until ?? untilRetry }
  run.failed = { version: versionOf(run), failures, problem }
}
