import { type CallRecord, withArguments } from '../../../core/domain/call.ts'
import { cursorOf } from '../../../core/domain/list-cursor.ts'
import type { DamagedRun, SuspendedFilter, SuspendedRun } from '../../../core/ports/store-lists.ts'
import { logRowOf, number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { decodeCall, decodeMessage } from '../../../core/stores/rows/decode-rows.ts'
import { placeOf, type RunPlace } from '../../../core/stores/rows/run-place.ts'
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

const selectMessages = `
  SELECT transcript, ${bareColumns}, NULL AS document FROM @.log
    JOIN unnest($1::bigint[], $2::int[]) AS wanted (transcript, seq) USING (transcript, seq)
  WHERE kind = 'message'`

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
  const waiting = runs.map((row) => waitingRun(row, calls.get(row['number']) ?? []))
  const wanted = waiting.flatMap((run) =>
    'damaged' in run ? [] : run.records.map(({ messageSeq }) => [run.place.transcript, messageSeq] as const),
  )
  const transcripts = wanted.map(([transcript]) => transcript)
  const seqs = wanted.map(([, seq]) => seq)
  const found = await sql(selectMessages, transcripts, seqs)
  const messages = Map.groupBy(found, (row) => Number(row['transcript']))
  const listed = waiting.flatMap((run) => {
    if ('damaged' in run) return run
    if (run.records.length === 0) return []
    const rows = { messages: messages.get(run.place.transcript) ?? [], answered: answered.get(run.row['number']) ?? [] }
    return suspendedRun(run, rows)
  })
  const last = runs.at(-1)
  return { runs: listed, ...(last === undefined || runs.length < limit ? {} : { next: cursorOf(listPlaceOf(last)) }) }
}

/** A run with its calls that wait. */
interface WaitingRun {
  readonly id: string
  readonly row: SqlRow
  readonly place: RunPlace
  readonly records: readonly CallRecord[]
}

function waitingRun(row: SqlRow, calls: readonly SqlRow[]): WaitingRun | DamagedRun {
  const id = text('', row, 'id')
  return rowUnlessDamaged(row, () => {
    const records = calls.map((call) => decodeCall(id, logRowOf(id, call)))
    return { id, row, place: placeOf(id, row), records: records.filter(({ status }) => status === 'suspended') }
  })
}

interface RowsOfRun {
  readonly messages: readonly SqlRow[]
  readonly answered: readonly SqlRow[]
}

function suspendedRun({ id, row, records }: WaitingRun, rows: RowsOfRun): SuspendedRun | DamagedRun {
  return rowUnlessDamaged(row, () => {
    const bySeq = new Map(rows.messages.map((message) => [message['seq'], message]))
    const decided = new Set(rows.answered.map((answer) => answer['call_id']))
    const message = (seq: number) => {
      const found = bySeq.get(seq)
      return found && decodeMessage(id, logRowOf(id, found)).message
    }
    return {
      record: listedRun(row),
      calls: records.map((record) => withArguments(record, { message })),
      answered: records.flatMap(({ callId }) => (decided.has(callId) ? callId : [])),
    }
  })
}
