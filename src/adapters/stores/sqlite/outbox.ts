import type { OutboxStore, OutgoingFilter, OutgoingQuery, OutgoingRow } from '../../../core/ports/outbox.ts'
import { number } from '../../../core/stores/rows/columns.ts'
import type { EncodedCommit } from '../../../core/stores/rows/encode-commit.ts'
import { textOf } from '../../../core/stores/rows/json-text.ts'
import { outgoingRow, outgoingStates } from '../../../core/stores/rows/outgoing-rows.ts'
import type { Session } from './session.ts'

const insert = `
  INSERT INTO outgoing (run_id, id, kind, destination, body, at, due) VALUES (?, ?, ?, ?, ?, ?, ?)`
const ofKinds = 'kind IN (SELECT value FROM json_each(?))'
const isFirst = `NOT EXISTS (
  SELECT 1 FROM outgoing AS earlier INDEXED BY outgoing_in_order
  WHERE earlier.run_id = mine.run_id AND earlier.kind = mine.kind AND earlier.destination = mine.destination
    AND earlier.number < mine.number AND earlier.due IS NOT NULL)`
/** Neither the rows that were sent nor all pending rows are read for each row that is due, whatever the file holds. */
const selectDue = `
  SELECT number FROM outgoing AS mine WHERE due <= ? AND ${ofKinds} AND ${isFirst}
  ORDER BY +number LIMIT ?`
const take = `
  UPDATE outgoing SET attempts = attempts + 1, due = ?
  WHERE number IN (SELECT value FROM json_each(?)) AND due <= ? RETURNING *`
const sent = `
  UPDATE outgoing SET due = NULL, sent = ?, body = 'null', problem = NULL WHERE number = ? AND sent IS NULL`
const forgetSent = `
  DELETE FROM outgoing WHERE number = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = run_id)`
const fail = `
  UPDATE outgoing SET due = ?, problem = ? WHERE number = ? AND attempts = ? AND due IS NOT NULL`
const selectNext = `
  SELECT due AS next FROM outgoing AS mine WHERE due IS NOT NULL AND ${ofKinds} AND ${isFirst} ORDER BY due LIMIT 1`
const retry = 'UPDATE outgoing SET due = at, attempts = 0 WHERE number = ? AND sent IS NULL'
const drop = 'DELETE FROM outgoing WHERE number = ?'

/** Writes what a commit sends; to be called inside its transaction. */
export function insertOutgoing({ sql }: Session, { runId, at, outgoing }: EncodedCommit): void {
  for (const { id, kind, destination, body } of outgoing) {
    sql(insert).run(runId, id, kind, destination, textOf(body), at, at)
  }
}

/** The part of the store that keeps what is to leave; each call but `takeOutgoing` is made inside a transaction. */
export function createOutbox({ sql, read, write }: Session): Synchronous<OutboxStore> {
  return {
    /** Nothing is locked before there is something to take. */
    takeOutgoing({ kinds, now, limit, holdMs }: OutgoingQuery): readonly OutgoingRow[] {
      const due = read(() => sql(selectDue).all(now, JSON.stringify(kinds), Math.max(limit, 0)))
      if (due.length === 0) return []
      const numbers = JSON.stringify(due.map((row) => number('', row, 'number')))
      const taken = write(() => sql(take).all(now + holdMs, numbers, now))
      return taken.map(outgoingRow).toSorted((one, other) => one.number - other.number)
    },

    markSent(row, now) {
      sql(sent).run(now, row)
      sql(forgetSent).run(row)
    },

    failOutgoing({ number: row, attempts }, { problem, until = null }) {
      sql(fail).run(until, problem, row, attempts)
    },

    nextOutgoing: (kinds) => {
      const row = sql(selectNext).get(JSON.stringify(kinds))
      return row && number('', row, 'next')
    },

    outgoing({ runId, state, limit = 100 }: OutgoingFilter = {}) {
      const whose = runId === undefined ? 'true' : 'run_id = ?'
      const how = state === undefined ? 'true' : outgoingStates[state]
      const select = `SELECT * FROM outgoing WHERE ${whose} AND ${how} ORDER BY number LIMIT ?`
      return sql(select)
        .all(...(runId === undefined ? [] : [runId]), limit)
        .map(outgoingRow)
    },

    retryOutgoing: (row) => sql(retry).run(row).changes > 0,

    dropOutgoing: (row) => sql(drop).run(row).changes > 0,
  }
}

/** The methods of a port, answered at once. */
type Synchronous<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...given: infer Given) => Promise<infer Result>
    ? (...given: Given) => Result
    : never
}
