import { withArguments } from '../../../core/domain/call.ts'
import type { Message } from '../../../core/domain/message.ts'
import type { DamagedRun, SuspendedFilter, SuspendedRun } from '../../../core/ports/store-lists.ts'
import { decodeCall, decodeMessage } from '../../../core/stores/rows/decode-rows.ts'
import { cursorOf, placeBefore } from '../../../core/domain/list-cursor.ts'
import { listPlaceOf, rowUnlessDamaged } from '../../../core/stores/rows/unless-damaged.ts'
import { isDamage } from './error-codes.ts'
import { conditionsOf, lastCheckpoint, recordColumns, recordIn, valuesOf } from './list.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { ofRun, seqColumn, transcriptOfRun, logSpan } from './schema.ts'
import type { Session } from './session.ts'

/** The sign keeps SQLite from building an index over the kinds of the whole log. */
const isSuspended = `
  +log.kind = 'call' AND instr(log.body, '"status":"suspended"')
  AND CASE WHEN json_valid(log.body) THEN log.body ->> '$.status' = 'suspended' ELSE 1 END`
const messageSeq = "CASE WHEN json_valid(log.body) THEN log.body ->> '$.messageSeq' END"
const decided = `
  SELECT json_group_array(call_id) FROM inbox
  WHERE inbox.run_id = runs.id AND decision_id IS NOT NULL AND consumed IS NULL`

const rowsOf = (whose: string) => `
  SELECT runs.number, runs.created_at, ${recordColumns}, ${seqColumn}, log.version AS call_version,
    log.body AS call_body, log.place AS call_place, ${messageSeq} AS message_seq, message.body AS message_body,
    (${decided}) AS decided
  FROM runs CROSS JOIN log ON ${ofRun} AND ${isSuspended}
    LEFT JOIN log AS tail ON tail.id = (${lastCheckpoint})
    LEFT JOIN log AS message ON message.id = ${transcriptOfRun} * ${logSpan} + ${messageSeq}
      AND message.kind = 'message' AND ${messageSeq} >= runs.first_seq
  WHERE ${whose}
  ORDER BY runs.created_at DESC, runs.number DESC, log.id`
const rowsOfOne = rowsOf("runs.id = ? AND status <> 'done'")

const openRuns = (filter: SuspendedFilter, columns: string, more: readonly string[] = []) => `
  SELECT ${columns} FROM runs
  WHERE ${[...conditionsOf(filter), "status <> 'done'", '(created_at, number) < (?, ?)', ...more].join(' AND ')}
  ORDER BY created_at DESC, number DESC`

function selectSuspended(filter: SuspendedFilter): string {
  const waits = `EXISTS (SELECT 1 FROM log WHERE ${ofRun} AND ${isSuspended})`
  return rowsOf(`runs.number IN (${openRuns(filter, 'number', [waits])} LIMIT ?)`)
}

/** Returns a function that lists the waiting runs with one statement. */
export function createSuspended({ sql, read }: Session) {
  return (filter: SuspendedFilter): readonly (SuspendedRun | DamagedRun)[] => {
    const { before, limit = 100 } = filter
    const { time, number: last } = placeBefore(before)
    const asked = [...valuesOf(filter), time, last]
    try {
      const rows = read(() => sql(selectSuspended(filter)).all(...asked, limit))
      return inRuns(rows).flatMap(decoded)
    } catch (error) {
      if (!isDamage(error)) throw error
      return oneByOne(filter, asked).slice(0, limit)
    }
  }

  /** A page of the file that cannot be read damages only the runs that need it. */
  function oneByOne(
    filter: SuspendedFilter,
    asked: readonly (string | number)[],
  ): readonly (SuspendedRun | DamagedRun)[] {
    const runs = read(() => sql(openRuns(filter, 'id, number, created_at')).all(...asked))
    return runs.flatMap((run) => {
      const id = text('', run, 'id')
      const found = rowUnlessDamaged(run, () => read(() => sql(rowsOfOne).all(id), id))
      return 'damaged' in found ? found : decoded(found)
    })
  }
}

function inRuns(rows: readonly SqlRow[]): readonly (readonly SqlRow[])[] {
  const runs = new Map<unknown, SqlRow[]>()
  for (const row of rows) {
    const calls = runs.get(row['number'])
    if (calls === undefined) runs.set(row['number'], [row])
    else calls.push(row)
  }
  return [...runs.values()]
}

function decoded(rows: readonly SqlRow[]): readonly (SuspendedRun | DamagedRun)[] {
  const [first] = rows
  return first === undefined ? [] : [rowUnlessDamaged(first, () => suspendedRun(first, rows))]
}

function suspendedRun(run: SqlRow, rows: readonly SqlRow[]): SuspendedRun {
  const id = text('', run, 'id')
  const record = { ...recordIn(run), cursor: cursorOf(listPlaceOf(run)) }
  const messages = messagesOf(id, rows)
  const calls = rows.map((row) => {
    const place = optionalNumber(id, row, 'call_place')
    const [seq, version] = [number(id, row, 'seq'), number(id, row, 'call_version')]
    const slot = { ...bare, seq, version, kind: 'call', body: text(id, row, 'call_body'), place }
    return withArguments(decodeCall(id, slot), { message: (made) => messages.get(made) })
  })
  const decidedIds: unknown = JSON.parse(text(id, run, 'decided'))
  const answered = new Set(Array.isArray(decidedIds) ? decidedIds : [])
  return { record, calls, answered: calls.flatMap(({ callId }) => (answered.has(callId) ? callId : [])) }
}

/** The columns that are not read here. */
const bare = { document: null, at: null, turn: null, place: null }

function messagesOf(id: string, rows: readonly SqlRow[]): ReadonlyMap<number, Message> {
  const messages = rows.flatMap((row) => {
    const body = optionalText(id, row, 'message_body')
    const seq = optionalNumber(id, row, 'message_seq')
    if (body === null || seq === null) return []
    const { message } = decodeMessage(id, { ...bare, seq, version: 0, kind: 'message', body })
    return [[seq, message] as const]
  })
  return new Map(messages)
}
