import { dropItem, outgoingKind, type OutgoingRow, type OutgoingState, retryItem, rowIn } from '../domain/outgoing.ts'
import { rowsOf, type RowsRead } from '../domain/records/record-read.ts'
import type { Records } from '../ports/records.ts'
import { checkRecords } from './check-records.ts'

/** A filter of outgoing rows. An absent field excludes no row. */
export interface OutgoingFilter {
  readonly runId?: string
  readonly state?: OutgoingState
  /** Default 100. */
  readonly limit?: number
}

/**
 * Lists outgoing items, oldest first; for one state, the longest due first. Messages between the runs of a family are among
 * them: `child.ended`, `child.cancel` and `run.handedOver`, which workers deliver, and `child.start`, which is `sent` from the
 * beginning. Do not drop a `child.start`: it keeps the work of a deleted sub-agent from starting again, and names the
 * sub-agent's run to the deletion of its parent.
 */
export async function listOutgoing(store: Records, filter: OutgoingFilter = {}): Promise<readonly OutgoingRow[]> {
  checkRecords(store, 'listOutgoing')
  const { state, limit = 100 } = filter
  const rows: OutgoingRow[] = []
  let page: RowsRead | undefined = outgoingRead(filter, Math.max(limit, 0))
  while (page !== undefined && rows.length < limit) {
    const found = await store.records([page])
    rows.push(
      ...found
        .rows(outgoingKind, page)
        .filter(({ body }) => (state ?? body.state) === body.state)
        .map(rowIn),
    )
    page = 'due' === page.index ? undefined : found.nextPage(page)
  }
  return rows.slice(0, limit)
}

/**
 * Schedules a waiting or set-aside row for sending at once, and clears its earlier attempts. Returns false for an
 * unknown key.
 */
export async function retryOutgoing(store: Records, key: string): Promise<boolean> {
  checkRecords(store, 'retryOutgoing')
  return await store.change(retryItem(key))
}

/** Deletes a row in any state; returns false for an unknown key. */
export async function dropOutgoing(store: Records, key: string): Promise<boolean> {
  checkRecords(store, 'dropOutgoing')
  return await store.change(dropItem(key))
}

function outgoingRead({ runId, state }: OutgoingFilter, limit: number): RowsRead {
  if (runId !== undefined) return rowsOf(outgoingKind, { index: 'run', values: [runId], isRising: true, limit })
  if (state !== undefined) return rowsOf(outgoingKind, { index: 'due', values: [state], isRising: true, limit })
  return rowsOf(outgoingKind, { values: [], isRising: true, limit })
}
