import type { OutboxStore, OutgoingFilter, OutgoingQuery, OutgoingRow } from '../../../core/ports/outbox.ts'
import { number, type SqlRow } from '../../../core/stores/rows/columns.ts'
import { outgoingRow, outgoingStates } from '../../../core/stores/rows/outgoing-rows.ts'
import { limitOf } from './list-values.ts'
import type { Session } from './session.ts'

const isFirst = `NOT EXISTS (
  SELECT FROM @.outgoing AS earlier
  WHERE earlier.run_id = mine.run_id AND earlier.kind = mine.kind AND earlier.destination = mine.destination
    AND earlier.number < mine.number AND earlier.due IS NOT NULL)`
/** Whoever asks at the same time is given other rows: those that are being taken are passed over. */
const take = `
  WITH found AS (
    SELECT number FROM @.outgoing AS mine WHERE due <= $1 AND kind = ANY ($2::text[]) AND ${isFirst}
    ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE @.outgoing SET attempts = attempts + 1, due = $4 FROM found WHERE outgoing.number = found.number
  RETURNING outgoing.*`
const sent = `
  WITH kept AS (
    UPDATE @.outgoing SET due = NULL, sent = $2, body = 'null', problem = NULL
    WHERE number = $1 AND sent IS NULL AND EXISTS (SELECT FROM @.runs WHERE runs.id = run_id)
  )
  DELETE FROM @.outgoing WHERE number = $1 AND NOT EXISTS (SELECT FROM @.runs WHERE runs.id = run_id)`
const fail = `
  UPDATE @.outgoing SET due = $3, problem = $4 WHERE number = $1 AND attempts = $2 AND due IS NOT NULL`
const next = `
  SELECT due AS next FROM @.outgoing AS mine WHERE due IS NOT NULL AND kind = ANY ($1::text[]) AND ${isFirst}
  ORDER BY due LIMIT 1`
const retry = 'UPDATE @.outgoing SET due = at, attempts = 0 WHERE number = $1 AND sent IS NULL RETURNING number'
const drop = 'DELETE FROM @.outgoing WHERE number = $1 RETURNING number'

/** The part of the store that keeps what is to leave. */
export function createOutbox({ look, statement }: Session): OutboxStore {
  return {
    async takeOutgoing({ kinds, now, limit, holdMs }: OutgoingQuery): Promise<readonly OutgoingRow[]> {
      // Rows that were taken and of which nothing was heard are due again once they are held no longer.
      const rows = await statement((sql) => sql(take, now, kinds, limitOf(Math.max(limit, 0)), now + holdMs))
      return inOrder(rows)
    },

    async markSent(row, now) {
      await statement((sql) => sql(sent, row, now))
    },

    async failOutgoing({ number: row, attempts }, { problem, until = null }) {
      await statement((sql) => sql(fail, row, attempts, until, problem))
    },

    nextOutgoing: (kinds) =>
      look(async (sql) => {
        const [row] = await sql(next, kinds)
        return row && number('', row, 'next')
      }),

    outgoing: ({ runId, state, limit }: OutgoingFilter = {}) =>
      look(async (sql) => {
        const whose = runId === undefined ? 'true' : 'run_id = $2'
        const how = state === undefined ? 'true' : outgoingStates[state]
        const select = `SELECT * FROM @.outgoing WHERE ${whose} AND ${how} ORDER BY number LIMIT $1`
        return (await sql(select, limitOf(limit), ...(runId === undefined ? [] : [runId]))).map(outgoingRow)
      }),

    retryOutgoing: (row) => statement(async (sql, isRepeat) => (await sql(retry, row)).length > 0 || isRepeat),

    dropOutgoing: (row) => statement(async (sql, isRepeat) => (await sql(drop, row)).length > 0 || isRepeat),
  }
}

function inOrder(rows: readonly SqlRow[]): readonly OutgoingRow[] {
  return rows.toSorted((one, other) => number('', one, 'number') - number('', other, 'number')).map(outgoingRow)
}
