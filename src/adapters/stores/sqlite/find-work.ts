import { untilRetry } from '../../../core/stores/rows/failed-rows.ts'
import type { HeldRow, Wanted } from '../../../core/stores/rows/lease-watch.ts'
import { leaseRow, number, optionalNumber, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { openStatuses } from '../../../core/domain/call.ts'
import { changingKindsList, ofRun } from './schema.ts'
import type { Session } from './session.ts'

/** A found run with work. */
export interface FoundRow extends HeldRow {
  readonly number: number
  /** The time since which there is work; null without work. */
  readonly since: number | null
}

const columns = 'runs.number, runs.id, fence, owner, host, pid, pid_start, lease_expires'
const isChanging = `consumed IS NULL AND kind IN (${changingKindsList})`
const openList = openStatuses.map((status) => `'${status}'`).join(', ')
/** The run is kept for no version or for this one, or it may be moved and no call of it is open. */
const isOfVersion = `(agent_version IS NULL OR agent_version = ? OR (? AND NOT EXISTS (
    SELECT 1 FROM log WHERE ${ofRun} AND +log.kind = 'call'
      AND CASE WHEN json_valid(log.body) THEN log.body ->> '$.status' IN (${openList}) ELSE 1 END)))`
const isFree = 'owner IS NULL AND lease_expires <= ?'

/** Selects the held runs of an agent. A waiting one may have nothing to do. */
const selectHeld = `
  SELECT ${columns}, CASE WHEN status = 'running' THEN lease_expires ELSE min(
    coalesce((SELECT min(at) FROM inbox WHERE run_id = runs.id AND ${isChanging}), 9e999),
    coalesce((SELECT min(due) FROM timers WHERE run_id = runs.id AND due <= ?), 9e999)
  ) END AS since
  FROM runs WHERE owner IS NOT NULL AND status <> 'done' AND agent = ? AND ${isOfVersion}`

const selectToBegin = `
  SELECT ${columns}, max(updated_at, lease_expires) AS since FROM runs
  WHERE status = 'running' AND ${isFree} AND agent = ? AND ${isOfVersion} ORDER BY lease_expires, runs.number LIMIT ?`

const selectAnswered = `
  SELECT ${columns}, min(inbox.at) AS since FROM inbox CROSS JOIN runs ON runs.id = inbox.run_id
  WHERE ${isChanging} AND status = 'waiting' AND ${isFree} AND agent = ? AND ${isOfVersion}
  GROUP BY runs.number ORDER BY since LIMIT ?`

const selectDue = `
  SELECT ${columns}, due AS since FROM timers CROSS JOIN runs ON runs.id = timers.run_id
  WHERE timers.agent = ? AND due <= ? AND status = 'waiting' AND ${isFree} AND ${isOfVersion} AND NOT EXISTS (
    SELECT 1 FROM timers AS earlier
    WHERE earlier.run_id = timers.run_id AND (earlier.due, earlier.key) < (timers.due, timers.key))
  ORDER BY due LIMIT ?`

/** Returns the wanted runs that somebody holds. Call it inside a transaction. */
export function heldRows({ sql }: Session, wanted: Wanted, now: number): readonly FoundRow[] {
  const version = versionOf(wanted)
  return wanted.agents.flatMap((agent) =>
    sql(selectHeld)
      .all(now, agent, ...version)
      .map(foundRow),
  )
}

/**
 * Finds wanted free runs with work, at most `limit` of each kind and agent. Call it inside a transaction. A run may
 * occur twice.
 */
export function foundRows({ sql }: Session, wanted: Wanted, now: number, limit: number): readonly FoundRow[] {
  const version = versionOf(wanted)
  return wanted.agents.flatMap((agent) =>
    [
      ...sql(selectToBegin).all(now, agent, ...version, limit),
      ...sql(selectAnswered).all(now, agent, ...version, limit),
      ...sql(selectDue).all(agent, now, now, ...version, limit),
    ].map(foundRow),
  )
}

function versionOf({ version, moves = false }: Wanted) {
  return [version ?? null, Number(moves)] as const
}

function foundRow(row: SqlRow): FoundRow {
  const runId = text('', row, 'id')
  const since = optionalNumber(runId, row, 'since')
  return {
    ...leaseRow(runId, row),
    runId,
    number: number(runId, row, 'number'),
    since: since === Number.POSITIVE_INFINITY ? null : since,
  }
}

const isPostponed = `owner IS NULL AND lease_expires > 0 AND lease_expires < ${untilRetry}`
const nextPostponed = (whose: string) => `
  SELECT min(lease_expires) AS next FROM runs WHERE ${isPostponed}${whose}`
const nextTimer = (whose: string) => `
  SELECT due AS next FROM timers CROSS JOIN runs ON runs.id = timers.run_id
  WHERE ${whose}status = 'waiting' AND owner IS NULL AND lease_expires = 0 ORDER BY due LIMIT 1`
const ofAgent = ' AND agent = ?'
const timerOfAgent = 'timers.agent = ? AND '

/** Returns the earliest time at which an undriven run has work by itself. Call it inside a transaction. */
export function nextDue({ sql }: Session, agents?: readonly string[]): number | undefined {
  const rows =
    agents === undefined
      ? [sql(nextPostponed('')).get(), sql(nextTimer('')).get()]
      : agents.flatMap((agent) => [sql(nextPostponed(ofAgent)).get(agent), sql(nextTimer(timerOfAgent)).get(agent)])
  const times = rows.flatMap((row) => (row === undefined ? [] : (optionalNumber('', row, 'next') ?? [])))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The statements of each search for work. */
export const findingStatements = {
  held: selectHeld,
  toBegin: selectToBegin,
  answered: selectAnswered,
  due: selectDue,
  nextPostponed: nextPostponed(ofAgent),
  nextTimer: nextTimer(timerOfAgent),
  nextPostponedOfAll: nextPostponed(''),
  nextTimerOfAll: nextTimer(''),
}
