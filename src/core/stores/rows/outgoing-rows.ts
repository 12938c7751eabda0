import type { Json } from '../../domain/text/json.ts'
import type { OutgoingRow } from '../../ports/outbox.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from './columns.ts'
import { readKept } from './json-text.ts'

/** The condition in SQL that rows in each state meet. */
export const outgoingStates = {
  pending: 'due IS NOT NULL',
  sent: 'sent IS NOT NULL',
  aside: 'due IS NULL AND sent IS NULL',
} as const

/** A row of what is to leave the process, from its columns. */
export function outgoingRow(row: SqlRow): OutgoingRow {
  const runId = text('', row, 'run_id')
  const due = optionalNumber(runId, row, 'due')
  const problem = optionalText(runId, row, 'problem')
  return {
    number: number(runId, row, 'number'),
    runId,
    id: text(runId, row, 'id'),
    kind: text(runId, row, 'kind'),
    destination: text(runId, row, 'destination'),
    body: bodyIn(text(runId, row, 'body')),
    state: due !== null ? 'pending' : optionalNumber(runId, row, 'sent') === null ? 'aside' : 'sent',
    at: number(runId, row, 'at'),
    attempts: number(runId, row, 'attempts'),
    ...(due === null ? {} : { due }),
    ...(problem === null ? {} : { problem }),
  }
}

/** A body that cannot be read must not keep others from being sent: its receiver refuses a null. */
function bodyIn(body: string): Json {
  try {
    return readKept(body)
  } catch {
    return null
  }
}
