import { nextLoopTurn } from '../../../core/domain/text/platform.ts'
import type { RunRecord } from '../../../core/domain/run-record.ts'
import type { DamagedRun, ListedRun, RunFilter } from '../../../core/ports/store-lists.ts'
import { StoreError } from '../../../core/domain/store-error.ts'
import { decodeRecord } from '../../../core/stores/rows/decode-rows.ts'
import { cursorOf, type ListPlace, placeBefore } from '../../../core/domain/list-cursor.ts'
import { isLocked } from './error-codes.ts'
import { optionalNumber, runRow, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { listPlaceOf, rowUnlessDamaged } from '../../../core/stores/rows/unless-damaged.ts'
import { ofRun } from './schema.ts'
import type { Session } from './session.ts'

/** The number of runs that are read at once. Other work of this process can run between two pages. */
export const pageSize = 500

interface ListPage {
  readonly runs: readonly (ListedRun | DamagedRun)[]
  /** Absent after the last page. */
  readonly next?: ListPlace
}

type ReadPage = (filter: RunFilter, after: ListPlace, wanted: number) => ListPage

/** Lists runs page by page, each in its state at the time of reading. */
export async function listRuns(
  filter: RunFilter,
  read: (after: ListPlace, wanted: number) => Promise<ListPage>,
): Promise<readonly (ListedRun | DamagedRun)[]> {
  const { limit = 100, before, updatedBefore } = filter
  const listed: (ListedRun | DamagedRun)[] = []
  for (
    let after: ListPlace | undefined = placeBefore(before, updatedBefore);
    after !== undefined && listed.length < limit;
  ) {
    const { runs, next }: ListPage = await read(after, limit - listed.length)
    listed.push(...runs)
    after = next
    if (next !== undefined) await nextLoopTurn()
  }
  return listed.slice(0, limit)
}

/** Returns a function that reads pages; `recordOf` reads one record in a transaction of its own. */
export function createListing({ sql, read }: Session, recordOf: (runId: string) => RunRecord): ReadPage {
  /** After a page of the file that cannot be read, SQLite ends the transaction with that same error: then one run at a time. */
  function rowsOf(filter: RunFilter, asked: readonly (string | number)[]): readonly ListedRow[] {
    try {
      return read(() => sql(selectRuns(filter, recordColumns)).all(...asked)).map((row) => listedRow(row, recordIn))
    } catch (error) {
      if (isLocked(error)) throw error
      const ids = read(() => sql(selectRuns(filter, 'runs.id')).all(...asked))
      return ids.map((row) => listedRow(row, () => recordOf(text('', row, 'id'))))
    }
  }

  return (filter, after, wanted) => {
    const { updatedBefore } = filter
    const size = updatedBefore === undefined ? Math.min(wanted, pageSize) : pageSize
    const rows = rowsOf(filter, [...valuesOf(filter), after.time, after.number, size])
    const runs = rows.flatMap(({ run }) => run ?? [])
    const next = rows.length < size ? undefined : rows.at(-1)?.place
    return {
      // The row of a run shows only that the run may be old enough: its last checkpoint can be newer.
      runs: runs.filter((run) => 'damaged' in run || updatedBefore === undefined || run.updatedAt < updatedBefore),
      ...(next === undefined ? {} : { next }),
    }
  }
}

interface ListedRow {
  readonly place: ListPlace
  /** Absent for a run that was deleted meanwhile. */
  readonly run: ListedRun | DamagedRun | undefined
}

function listedRow(row: SqlRow, record: (row: SqlRow) => RunRecord): ListedRow {
  const place = listPlaceOf(row)
  try {
    return { place, run: rowUnlessDamaged(row, () => ({ ...record(row), cursor: cursorOf(place) })) }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return { place, run: undefined }
    throw error
  }
}

/** Returns the record in a row of `recordColumns`. */
export function recordIn(row: SqlRow): RunRecord {
  const id = text('', row, 'id')
  const tail = { version: optionalNumber(id, row, 'tail_version') ?? 0, at: optionalNumber(id, row, 'tail_at') }
  return decodeRecord(runRow(id, row), tail)
}

/**
 * The columns of a run's record. A commit with a checkpoint changes the row of its run only if the status changes; the
 * checkpoint has the rest.
 */
export const recordColumns = `
  runs.id, agent, agent_version, status, reason, code, error, updated_at, runs.version, forked_run, forked_version,
  session, subject, labels, prompt, tail.version AS tail_version, tail.at AS tail_at`
/** Selects the last checkpoint of a run, in a query of `runs`. */
export const lastCheckpoint = `SELECT id FROM log WHERE ${ofRun} AND kind = 'checkpoint' ORDER BY id DESC LIMIT 1`

/** Returns the SQL for a page of the runs that match a filter, with these columns besides those of the position. */
export function selectRuns(filter: RunFilter, columns: string): string {
  const tail = columns === recordColumns ? `LEFT JOIN log AS tail ON tail.id = (${lastCheckpoint})` : ''
  const conditions = [...conditionsOf(filter), '(created_at, number) < (?, ?)']
  return `
    SELECT number, created_at, ${columns} FROM runs ${tail}
    WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, number DESC LIMIT ?`
}

/**
 * Returns the conditions of a filter. The index by status omits finished runs, which are the majority, so SQLite must
 * be told to use it.
 */
export function conditionsOf({ status, agent, updatedBefore, session, subject, labels }: RunFilter): readonly string[] {
  return [
    ...(status === undefined ? [] : ['status = ?']),
    ...(status === undefined || status === 'done' ? [] : ["status <> 'done'"]),
    ...(agent === undefined ? [] : ['agent = ?']),
    ...(updatedBefore === undefined ? [] : ['updated_at < ?']),
    ...(session === undefined ? [] : ['session = ?']),
    ...(subject === undefined ? [] : ['subject = ?']),
    ...(hasAny(labels) ? ['labels IS NOT NULL', hasLabels] : []),
  ]
}

/** Returns the values of these conditions, in order. */
export function valuesOf({
  status,
  agent,
  updatedBefore,
  session,
  subject,
  labels,
}: RunFilter): readonly (string | number)[] {
  const asked = hasAny(labels) ? JSON.stringify(labels) : []
  return [status ?? [], agent ?? [], updatedBefore ?? [], session ?? [], subject ?? [], asked].flat()
}

/** Labels that cannot be read may be the ones: that run is listed as damaged. */
const hasLabels = `
  CASE WHEN json_valid(labels) THEN NOT EXISTS (
    SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
      SELECT 1 FROM json_each(runs.labels) AS held WHERE held.key = wanted.key AND held.atom = wanted.atom))
  ELSE true END`

function hasAny(labels: RunFilter['labels']): boolean {
  return labels !== undefined && Object.keys(labels).length > 0
}
