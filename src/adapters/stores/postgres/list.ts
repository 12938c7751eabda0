import type { DamagedRun, ListedRun, RunFilter } from '../../../core/ports/store-lists.ts'
import type { SqlRow } from '../../../core/stores/rows/columns.ts'
import { listPlaceOf, rowUnlessDamaged } from '../../../core/stores/rows/unless-damaged.ts'
import { cursorOf } from '../../../core/domain/list-cursor.ts'
import { limitOf, placeValues } from './list-values.ts'
import { recordColumns, recordIn } from './reading.ts'
import type { Session, SqlValue } from './session.ts'

/** Lists runs, the newest first. An unreadable run hides no other. */
export async function listRuns({ look }: Session, filter: RunFilter): Promise<readonly (ListedRun | DamagedRun)[]> {
  const values: SqlValue[] = []
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const limit = `$${values.push(limitOf(filter.limit))}`
  const select = `SELECT number, ${recordColumns} FROM @.runs ${where} ORDER BY created_at DESC, number DESC LIMIT ${limit}`
  const rows = await look((sql) => sql(select, ...values))
  return rows.map((row) => rowUnlessDamaged(row, () => listedRun(row)))
}

/** Returns a run's record with its position in the list. */
export function listedRun(row: SqlRow): ListedRun {
  return { ...recordIn(row), cursor: cursorOf(listPlaceOf(row)) }
}

/** The text of readable labels: runs with unreadable labels stay in lists by label. */
const isLabels = String.raw`'^\{("([^"\\]|\\.)*":"([^"\\]|\\.)*"(,"([^"\\]|\\.)*":"([^"\\]|\\.)*")*)?\}$'`

/** Returns the conditions of a status. Their form makes the server use its index, also without statistics. */
function statusIs(status: NonNullable<RunFilter['status']>, value: string): readonly string[] {
  return status === 'done' ? [`CASE WHEN status = ${value} THEN true END`] : [`status = ${value}`, "status <> 'done'"]
}

/** Returns the conditions of a filter in SQL. */
export function conditionsOf(
  { status, agent, updatedBefore, session, subject, labels = {}, before }: RunFilter,
  value: (one: SqlValue) => string,
): readonly string[] {
  const wanted = Object.entries(labels).map(([name, label]) => `${JSON.stringify(name)}:${JSON.stringify(label)}`)
  const hasAll = wanted.map((pair) => `strpos(labels, ${value(pair)}) > 0`).join(' AND ')
  return [
    ...(status === undefined ? [] : statusIs(status, value(status))),
    ...(agent === undefined ? [] : [`agent = ${value(agent)}`]),
    ...(updatedBefore === undefined ? [] : [`updated_at < ${value(updatedBefore)}`]),
    ...(session === undefined ? [] : [`session = ${value(session)}`]),
    ...(subject === undefined ? [] : [`subject = ${value(subject)}`]),
    ...(wanted.length === 0 ? [] : ['labels IS NOT NULL', `((${hasAll}) OR labels !~ ${isLabels})`]),
    ...placeValues(before, updatedBefore).map(
      (place) => `(created_at, number) < (${value(place.time)}, ${value(place.number)})`,
    ),
  ]
}
