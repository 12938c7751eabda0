import { damageIn } from '../../../core/domain/store-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Lease } from '../../../core/ports/stored-run.ts'
import type { ClaimedWork, WorkQuery, WorkStore } from '../../../core/ports/work.ts'
import { failuresOf } from '../../../core/stores/rows/failed-rows.ts'
import { LeaseWatch } from '../../../core/stores/rows/lease-watch.ts'
import type { FailedRow } from '../../../core/stores/rows/stored-rows.ts'
import { type FoundRow, foundRows, heldRows } from './find-work.ts'
import type { RunHeads } from './heads.ts'
import { countDeaths, failedRow } from './postponed.ts'
import type { FetchedRun } from './reading.ts'
import { number, text } from '../../../core/stores/rows/columns.ts'
import type { Session } from './session.ts'

/** Claims only rows that are as they were found. The sign keeps SQLite from going through all open runs. */
const claimRows = `
  UPDATE runs SET fence = runs.fence + 1, owner = ?, host = ?, pid = ?, pid_start = ?, lease_expires = ?,
    agent_version = coalesce(?, agent_version)
  FROM (
    SELECT value ->> 0 AS number, value ->> 1 AS fence, value ->> 2 AS expires FROM json_each(?)
  ) AS found
  WHERE runs.number = found.number AND runs.fence = found.fence AND runs.lease_expires < found.expires + 0.001
    AND +runs.status <> 'done'
  RETURNING runs.number, runs.id, runs.fence`

/** Returns the part of the store that claims work. */
export function createWork(
  session: Session,
  heads: RunHeads,
  { fetch, clock }: { readonly fetch: (runId: string) => FetchedRun; readonly clock: Pick<Clock, 'now'> },
) {
  const leases = new LeaseWatch()

  /** Locks nothing before there is something to claim. */
  function find({ now, limit, ttlMs, except = [], ...asked }: WorkQuery): readonly FoundRow[] {
    const left = new Set(except)
    const rows = session.read(() => {
      const free = leases
        .free(heldRows(session, asked, now), { ...asked, now: clock.now(), ttlMs })
        .filter(({ since }) => since !== null)
      return [...free, ...foundRows(session, asked, now, limit + left.size)]
    })
    const wanted = new Map(rows.filter(({ runId }) => !left.has(runId)).map((row) => [row.number, row]))
    return [...wanted.values()].toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0)).slice(0, limit)
  }

  function take(found: readonly FoundRow[], { owner, ttlMs, version }: WorkQuery): readonly Lease[] {
    const { id, host, pid, pidStart } = owner
    const asFound = JSON.stringify(found.map((row) => [row.number, row.fence, row.expires]))
    const wasHeld = new Set(found.flatMap((row) => (row.owner === null ? [] : row.number)))
    const expires = clock.now() + ttlMs
    const taken = session.write(() => {
      const rows = session.sql(claimRows).all(id, host, pid, pidStart, expires, version ?? null, asFound)
      const deaths = rows.map((row) => number('', row, 'number')).filter((one) => wasHeld.has(one))
      if (deaths.length > 0) countDeaths(session, deaths)
      return rows
    })
    const claimed = taken.map((row) => ({
      runId: text('', row, 'id'),
      owner: { ...owner },
      fence: number('', row, 'fence'),
    }))
    for (const { runId } of claimed) heads.forget(runId)
    return claimed
  }

  function readRun(runId: string): Pick<ClaimedWork, 'run' | 'failures'> {
    const failed = session.look(() => failedRow(session, runId), runId)
    try {
      const run = session.read(() => fetch(runId), runId).decode()
      return { run, failures: failuresOf(failed, run.record.version) }
    } catch (error) {
      return { run: damageIn(error), failures: countOf(failed) }
    }
  }

  return {
    claimNext(query: WorkQuery): readonly ClaimedWork[] {
      if (query.limit <= 0) return []
      const found = find(query)
      if (found.length === 0) return []
      const rows = new Map(found.map((row) => [row.runId, row]))
      const order = [...rows.keys()]
      return take(found, query)
        .toSorted((one, other) => order.indexOf(one.runId) - order.indexOf(other.runId))
        .map((lease) => ({
          lease,
          ...readRun(lease.runId),
          wasHeld: rows.get(lease.runId)?.owner !== null,
        }))
    },

    backlog({ now, limit, ...wanted }: Parameters<WorkStore['backlog']>[0]): number {
      const rows = session.read(() => foundRows(session, wanted, now, limit))
      return Math.min(new Set(rows.map((row) => row.number)).size, limit)
    },
  }
}

function countOf(failed: FailedRow | undefined): number {
  return failed?.failures ?? 0
}
