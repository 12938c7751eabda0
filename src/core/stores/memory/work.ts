import { isTerminal } from '../../domain/call.ts'
import { changingKinds } from '../../domain/inbox.ts'
import { damageIn } from '../../domain/store-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClaimedWork, PostponedRun, WorkQuery, WorkStore } from '../../ports/work.ts'
import { failuresOf, untilRetry } from '../rows/failed-rows.ts'
import { type HeldRow, LeaseWatch, type Wanted } from '../rows/lease-watch.ts'
import type { Watchers } from '../rows/watchers.ts'
import { freed, type MemoryRun, versionOf } from './commit.ts'
import { callsOf, storedRun } from './memory-run.ts'

/** The dependencies of searching for work. */
export interface WorkParts {
  /** Every run, in the order of creation; throws if the store is closed. */
  readonly opened: () => ReadonlyMap<string, MemoryRun>
  readonly runOf: (runId: string) => MemoryRun
  readonly watchers: Watchers
  readonly clock: Pick<Clock, 'now'>
}

/** Returns the part of a store in memory that finds work. */
export function createWork({ opened, runOf, watchers, clock }: WorkParts): WorkStore {
  const leases = new LeaseWatch()

  const wantedRuns = ({ agents, version, moves = false }: Wanted) =>
    openRuns(agents).filter((run) => {
      const { agentVersion } = run.row
      return agentVersion === null || agentVersion === version || (moves && isBetweenTurns(run))
    })
  const openRuns = (agents?: readonly string[]) =>
    [...opened().values()].filter(
      ({ row }) => row.status !== 'done' && (agents === undefined || agents.includes(row.agent)),
    )

  return {
    async claimNext(query) {
      const { now, ttlMs, except = [] } = query
      const runs = wantedRuns(query)
      const look = { ...query, now: clock.now() }
      const free = new Set(leases.free(runs.flatMap(heldRow), look).map(({ run }) => run))
      const found = runs.flatMap((run) => {
        if (except.includes(run.row.id) || (isHeld(run) && !free.has(run))) return []
        const since = workSince(run, now)
        return since === undefined ? [] : { run, since }
      })
      const next = found.sort((left, right) => left.since - right.since).slice(0, Math.max(query.limit, 0))
      return next.map(({ run }) => claim(run, query, clock.now() + ttlMs))
    },

    async backlog({ now, limit, ...wanted }) {
      const runs = wantedRuns(wanted).filter((run) => !isHeld(run) && workSince(run, now) !== undefined)
      return Math.min(runs.length, limit)
    },

    async nextDue(agents) {
      const times = openRuns(agents).flatMap((run) => (isHeld(run) ? [] : dueOf(run)))
      return times.length === 0 ? undefined : Math.min(...times)
    },

    async postponed({ agents, isAside = false, limit = 100 } = {}) {
      const runs = openRuns(agents).filter(({ lease }) => lease.owner === null && lease.expires > 0)
      const asked = isAside ? runs.filter(({ lease }) => lease.expires === untilRetry) : runs
      return asked
        .sort((left, right) => right.lease.expires - left.lease.expires)
        .slice(0, limit)
        .map(postponedRun)
    },

    async retry(runId) {
      const run = runOf(runId)
      const wasPostponed = run.lease.owner === null && run.lease.expires > 0
      if (!wasPostponed) return false
      run.lease = freed(run.lease)
      delete run.failed
      watchers.notifyOfWork()
      return true
    },
  }
}

function claim(run: MemoryRun, { owner, version: agentVersion }: WorkQuery, expires: number): ClaimedWork {
  const { id } = run.row
  const version = versionOf(run)
  const wasHeld = isHeld(run)
  const failures = failuresOf(run.failed, version) + (wasHeld ? 1 : 0)
  if (failures === 0) delete run.failed
  else run.failed = { problem: null, ...run.failed, version, failures }
  const fence = run.lease.fence + 1
  if (agentVersion !== undefined) run.row = { ...run.row, agentVersion }
  const { id: ownerId, host, pid, pidStart } = owner
  run.lease = { fence, owner: ownerId, host, pid, pidStart, expires }
  return { lease: { runId: id, owner: { ...owner }, fence }, run: readRun(run), failures, wasHeld }
}

/** Returns true if no call of a run is open. */
function isBetweenTurns(run: MemoryRun): boolean {
  return callsOf(run).every(({ status }) => isTerminal(status))
}

function readRun(run: MemoryRun): ClaimedWork['run'] {
  try {
    return storedRun(run)
  } catch (error) {
    return damageIn(error)
  }
}

function workSince({ row, lease, inbox, timers }: MemoryRun, now: number): number | undefined {
  if (lease.owner === null && lease.expires > now) return undefined
  if (row.status === 'running') return Math.max(lease.expires, row.updatedAt)
  const answered = inbox.filter(({ kind, consumed }) => consumed === null && changingKinds.has(kind))
  const due = timers.filter((timer) => timer.due <= now)
  const times = [...answered.map(({ at }) => at), ...due.map((timer) => timer.due)]
  return times.length === 0 ? undefined : Math.min(...times)
}

function dueOf({ row, lease, timers }: MemoryRun): readonly number[] {
  if (lease.expires === untilRetry) return []
  if (lease.expires > 0) return [lease.expires]
  return row.status === 'running' ? [] : timers.map(({ due }) => due)
}

function heldRow(run: MemoryRun): readonly (HeldRow & { readonly run: MemoryRun })[] {
  return isHeld(run) ? [{ ...run.lease, runId: run.row.id, run }] : []
}

function isHeld({ lease }: MemoryRun): boolean {
  return lease.owner !== null
}

function postponedRun(run: MemoryRun): PostponedRun {
  const { row, lease, failed } = run
  const problem = failed?.problem ?? undefined
  return {
    runId: row.id,
    agent: row.agent,
    failures: failuresOf(failed, versionOf(run)),
    ...(lease.expires === untilRetry ? {} : { until: lease.expires }),
    ...(problem === undefined ? {} : { problem }),
  }
}
