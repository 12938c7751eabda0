import { type CallRecord, withArguments } from '../../../core/domain/call.ts'
import { cursorOf } from '../../../core/domain/list-cursor.ts'
import type { DamagedRun, SuspendedFilter, SuspendedRun } from '../../../core/ports/store-lists.ts'
import { logRowOf, number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { decodeCall, decodeMessage } from '../../../core/stores/rows/decode-rows.ts'
import { placeOf } from '../../../core/stores/rows/run-place.ts'
import { listPlaceOf, rowUnlessDamaged } from '../../../core/stores/rows/unless-damaged.ts'
import { conditionsOf, listedRun } from './list.ts'
import { limitOf } from './list-values.ts'
import { bareColumns } from './log-rows.ts'
import { recordColumns } from './reading.ts'
import type { Session, Sql, SqlValue } from './session.ts'

/** Holds for every suspended call, and perhaps for others. */
const mayWait = `log.transcript = coalesce(runs.transcript, runs.number)
  AND log.seq BETWEEN runs.first_seq AND coalesce(runs.last_seq, runs.written_seq)
  AND log.kind = 'call' AND strpos(log.body, '"status":"suspended"') > 0`
/** The offset keeps the server from joining all runs with the whole log. */
const waits = `EXISTS (SELECT FROM @.log WHERE ${mayWait} OFFSET 0)`
const selectCalls = `
  SELECT runs.number AS run, ${bareColumns}, NULL AS document FROM @.runs JOIN @.log ON ${mayWait}
  WHERE runs.number = ANY ($1::bigint[]) ORDER BY log.seq`
const selectAnswered = `
  SELECT run, call_id FROM @.inbox WHERE run = ANY ($1::bigint[]) AND decision_id IS NOT NULL AND consumed IS NULL`

/** Returns the runs that wait for answers with their calls, the newest first, all read at one moment. */
export function listSuspended(
  { read }: Session,
  filter: SuspendedFilter,
): Promise<readonly (SuspendedRun | DamagedRun)[]> {
  const limit = limitOf(filter.limit)
  return read(async (sql) => {
    const found: (SuspendedRun | DamagedRun)[] = []
    let before = filter.before
    while (found.length < limit) {
      const page = await suspendedPage(sql, { ...filter, ...(before === undefined ? {} : { before }) }, limit)
      found.push(...page.runs)
      if (page.next === undefined) break
      before = page.next
    }
    return found.slice(0, limit)
  })
}

interface Page {
  readonly runs: readonly (SuspendedRun | DamagedRun)[]
  readonly next?: string
}

async function suspendedPage(sql: Sql, filter: SuspendedFilter, limit: number): Promise<Page> {
  const values: SqlValue[] = []
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const where = [...conditions, "status IN ('running', 'waiting')", waits].join(' AND ')
  const select = `
    SELECT ${recordColumns}, number, transcript, first_seq, last_seq, calls_from FROM @.runs WHERE ${where}
    ORDER BY created_at DESC, number DESC LIMIT $${values.push(limit)}`
  const runs = await sql(select, ...values)
  const numbers = runs.map((row) => number('', row, 'number'))
  const calls = Map.groupBy(await sql(selectCalls, numbers), (row) => row['run'])
  const answered = Map.groupBy(await sql(selectAnswered, numbers), (row) => row['run'])
  const listed: (SuspendedRun | DamagedRun)[] = []
  for (const run of runs) {
    const own = run['number']
    const read = await suspendedRun(sql, run, { calls: calls.get(own) ?? [], answered: answered.get(own) ?? [] })
    if (read !== undefined) listed.push(read)
  }
  const last = runs.at(-1)
  return { runs: listed, ...(last === undefined || runs.length < limit ? {} : { next: cursorOf(listPlaceOf(last)) }) }
}

interface RowsOfRun {
  readonly calls: readonly SqlRow[]
  readonly answered: readonly SqlRow[]
}

async function suspendedRun(sql: Sql, run: SqlRow, rows: RowsOfRun): Promise<SuspendedRun | DamagedRun | undefined> {
  const id = text('', run, 'id')
  const records = rowUnlessDamaged(run, () =>
    rows.calls.map((row) => decodeCall(id, logRowOf(id, row))).filter(({ status }) => status === 'suspended'),
  )
  if ('damaged' in records) return records
  if (records.length === 0) return undefined
  const found = await messageRows(sql, id, run, records)
  return rowUnlessDamaged(run, () => {
    const messages = new Map(found.map((row) => [row['seq'], decodeMessage(id, logRowOf(id, row)).message]))
    const decided = new Set(rows.answered.map((row) => row['call_id']))
    return {
      record: listedRun(run),
      calls: records.map((record) => withArguments(record, { message: (seq) => messages.get(seq) })),
      answered: records.flatMap(({ callId }) => (decided.has(callId) ? callId : [])),
    }
  })
}

const selectMessages = `
  SELECT ${bareColumns}, NULL AS document FROM @.log
  WHERE transcript = $1 AND seq = ANY ($2::int[]) AND kind = 'message'`

async function messageRows(
  sql: Sql,
  id: string,
  run: SqlRow,
  calls: readonly CallRecord[],
): Promise<readonly SqlRow[]> {
  const seqs = calls.map(({ messageSeq }) => messageSeq)
  return sql(selectMessages, placeOf(id, run).transcript, seqs)
}
