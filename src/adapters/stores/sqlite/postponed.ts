import type { Lease } from '../../../core/ports/stored-run.ts'
import type { PostponedFilter, Postponement, PostponedRun } from '../../../core/ports/work.ts'
import { failedIn, postponedRun, untilRetry } from '../../../core/stores/rows/failed-rows.ts'
import { fenceConflict, runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { FailedRow } from '../../../core/stores/rows/stored-rows.ts'
import { freeUntil } from './commit.ts'
import { leaseRow, type SqlRow } from '../../../core/stores/rows/columns.ts'
import { ofRun } from './schema.ts'
import type { Session } from './session.ts'

/** The higher of two: the version of the run's row, and that of its last log row. */
const version = `
  max(runs.version, coalesce((SELECT log.version FROM log WHERE ${ofRun} ORDER BY id DESC LIMIT 1), 0))`
const insertFailed = `
  INSERT INTO failures (run_id, version, failures, problem) SELECT id, ${version}, ?, ? FROM runs WHERE id = ?
  ON CONFLICT (run_id) DO UPDATE
  SET version = excluded.version, failures = excluded.failures, problem = excluded.problem`
const insertDeaths = `
  INSERT INTO failures (run_id, version, failures, problem)
  SELECT runs.id, ${version}, 1, NULL FROM json_each(?) AS dead CROSS JOIN runs ON runs.number = dead.value WHERE true
  ON CONFLICT (run_id) DO UPDATE
  SET failures = CASE WHEN version = excluded.version THEN failures + 1 ELSE 1 END,
    problem = CASE WHEN version = excluded.version THEN problem END, version = excluded.version`
const selectFailed = 'SELECT version AS failed_version, failures, problem FROM failures WHERE run_id = ?'
const updateUntil = `
  UPDATE runs SET ${freeUntil} WHERE id = ? AND fence = ? AND owner = ?`
const selectLease = 'SELECT fence, owner, host, pid, pid_start, lease_expires FROM runs WHERE id = ?'
const updateRetried = 'UPDATE runs SET lease_expires = 0 WHERE id = ? AND owner IS NULL AND lease_expires > 0'
const deleteFailed = 'DELETE FROM failures WHERE run_id = ?'

const selectPostponed = (whose: string) => `
  SELECT runs.id, agent, lease_expires, ${version} AS version, failures.version AS failed_version, failures,
    problem
  FROM runs LEFT JOIN failures ON run_id = runs.id
  WHERE owner IS NULL AND lease_expires > 0 AND lease_expires >= ? AND status <> 'done'${whose}
  ORDER BY lease_expires DESC, number LIMIT ?`

/** Returns the failures of a run, if it has any. */
export function failedRow({ sql }: Session, runId: string): FailedRow | undefined {
  const row = sql(selectFailed).get(runId)
  return row && failedIn(runId, row)
}

/** Counts, for each of these runs by number, a driver that did not release its lease. Call it inside a transaction. */
export function countDeaths({ sql }: Session, numbers: readonly number[]): void {
  sql(insertDeaths).run(JSON.stringify(numbers))
}

/** Releases a lease, and keeps its run from workers, inside a transaction. */
export function postpone(
  { sql }: Session,
  { runId, owner, fence }: Lease,
  { until = untilRetry, failures, problem }: Postponement,
): void {
  const { changes } = sql(updateUntil).run(until, runId, fence, owner.id)
  if (changes > 0) sql(insertFailed).run(failures, problem, runId)
  else throw lostLease(runId, sql(selectLease).get(runId), fence)
}

/**
 * Returns the part of the store that lists the runs that workers leave alone. Call each function inside a transaction.
 */
export function createPostponed({ sql }: Session) {
  return {
    postponed({ agents, isAside = false, limit = 100 }: PostponedFilter): readonly PostponedRun[] {
      const from = isAside ? untilRetry : 0
      const rows =
        agents === undefined
          ? sql(selectPostponed('')).all(from, limit)
          : agents.flatMap((agent) => sql(selectPostponed(' AND agent = ?')).all(from, agent, limit))
      return rows
        .map(postponedRun)
        .toSorted((one, other) => (other.until ?? untilRetry) - (one.until ?? untilRetry))
        .slice(0, limit)
    },

    retry(runId: string): boolean {
      const { changes } = sql(updateRetried).run(runId)
      if (changes > 0) sql(deleteFailed).run(runId)
      else if (sql(selectLease).get(runId) === undefined) throw runUnknown(runId)
      return changes > 0
    },
  }
}

function lostLease(runId: string, found: SqlRow | undefined, fence: number): Error {
  return found === undefined ? runUnknown(runId) : fenceConflict(runId, leaseRow(runId, found), fence)
}
