import { StoreError } from '../../domain/store-error.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import type { DamagedRun, RunFilter } from '../../ports/store.ts'
import { type SqlRow, text } from '../rows/columns.ts'
import { recordColumns, recordIn } from './reading.ts'
import type { Session, SqlValue } from './session.ts'

/** Lists runs, the newest first; one that cannot be read hides no other. */
export async function listRuns({ look }: Session, filter: RunFilter): Promise<readonly (RunRecord | DamagedRun)[]> {
  const values: SqlValue[] = []
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const limit = `$${values.push(Math.min(filter.limit ?? 100, 2 ** 31 - 1))}`
  const select = `SELECT ${recordColumns} FROM @.runs ${where} ORDER BY created_at DESC, number DESC LIMIT ${limit}`
  return (await look((sql) => sql(select, ...values))).map(listed)
}

/** Runs that are done are left out of the index by status, which the server has to be told to use it. */
function conditionsOf(
  { status, agent, updatedBefore }: RunFilter,
  value: (one: SqlValue) => string,
): readonly string[] {
  return [
    ...(status === undefined ? [] : [`status = ${value(status)}`]),
    ...(status === undefined || status === 'done' ? [] : ["status <> 'done'"]),
    ...(agent === undefined ? [] : [`agent = ${value(agent)}`]),
    ...(updatedBefore === undefined ? [] : [`updated_at < ${value(updatedBefore)}`]),
  ]
}

function listed(row: SqlRow): RunRecord | DamagedRun {
  try {
    return recordIn(row)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_damaged') {
      return { id: text('', row, 'id'), damaged: error.message }
    }
    throw error
  }
}
