import type { FoundRow, StoredRecord } from './records/found-records.ts'
import { changing, drop, put, type RecordChange, type RecordWrite, writing } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf, rowsOf, type RowsRead } from './records/record-read.ts'
import type { Json } from './text/json.ts'
import { isMissingOr, isNumber, isOneOf, isShaped, isText, isThere } from './text/shape.ts'

/** An item that leaves the process, written with the state that requires it. */
export interface OutgoingItem {
  /** The id of the item for its receiver. It may arrive more than once, always with this id. */
  readonly id: string
  /** The kind, by which senders select items. */
  readonly kind: string
  /** The destination. Items of one run, kind and destination leave in order. */
  readonly destination: string
  readonly body: Json
}

/** The state of an outgoing item: it will be sent, it was sent, or it is set aside until it is retried. */
export type OutgoingState = 'pending' | 'sent' | 'aside'

export interface KeptItem extends OutgoingItem {
  readonly runId: string
  readonly state: OutgoingState
  /** The time of its commit, in Unix milliseconds. */
  readonly at: number
  /** The number of attempts to send it. */
  readonly attempts: number
  /** Unix milliseconds before which it is not taken; only if it is pending. */
  readonly due?: number
  /** The problem of the last attempt. */
  readonly problem?: string
}

/** An outgoing item as a store returns it. The body of a sent item is not kept and is null. */
export interface OutgoingRow extends KeptItem {
  /** The key of the item for `retryOutgoing` and `dropOutgoing`. */
  readonly key: string
}

/** A publisher's request for items. Times are Unix milliseconds by the publisher's clock. */
export interface OutgoingQuery {
  readonly kinds: readonly string[]
  readonly now: number
  readonly limit: number
  /** Milliseconds for which the items are reserved for this publisher. */
  readonly holdMs: number
}

/** Outgoing items. A sent item is deleted with its run; other items stay until they are sent or dropped. */
export const outgoingKind = recordKind<KeptItem>({
  name: 'outgoing',
  fields: { run: 'text', state: 'text', kind: 'text', due: 'number', lane: 'text' },
  fieldsOf: (item) => ({
    run: item.runId,
    state: item.state,
    kind: item.kind,
    due: item.due ?? 0,
    lane: item.state === 'pending' ? JSON.stringify([item.runId, item.kind, item.destination]) : '',
  }),
  indexes: { due: ['state', 'kind', 'due'], lane: ['lane'], run: ['run'] },
  isBody: isShaped<KeptItem>({
    ...{ id: isText, kind: isText, destination: isText, body: isThere, runId: isText },
    ...{ state: isOneOf('pending', 'sent', 'aside'), at: isNumber, attempts: isNumber },
    ...{ due: isMissingOr(isNumber), problem: isMissingOr(isText) },
  }),
  runGone: (item) => (item.state === 'sent' ? undefined : item),
  wakes: ({ state, attempts }) => state === 'pending' && attempts === 0,
})

/**
 * Sends items of a run, in order, and at once, even if the clock that gave `at` was ahead. An item that the run sends again is
 * sent again with the same id.
 */
export function sendItems(runId: string, items: readonly OutgoingItem[], at: number): RecordChange<undefined> {
  return writing(
    ...items.map((item) => {
      const { id, kind, destination, body } = item
      const kept: KeptItem = { id, kind, destination, body, runId, state: 'pending', at, attempts: 0, due: 0 }
      return put(outgoingKind, outgoingKey(runId, item), kept)
    }),
  )
}

/** Records that an item of a run has arrived, together with what it brings. The record lives as long as its run. */
export function arrivedItem(runId: string, item: Omit<OutgoingItem, 'body'>, at: number): RecordChange<undefined> {
  return writing(putItem(outgoingKey(runId, item), { ...item, body: null, runId, state: 'sent', at, attempts: 1 }))
}

/** Returns the key of an item. */
export function outgoingKey(runId: string, { kind, destination, id }: Omit<OutgoingItem, 'body'>): string {
  return JSON.stringify([runId, kind, destination, id])
}

/** Returns the reads of the item of each kind that `takeItems` would return first, now or later. */
export function nextReads(kinds: readonly string[]): readonly RowsRead[] {
  const how = { index: 'due', isRising: true, firstOf: 'lane', limit: 1 }
  return kinds.map((kind) => rowsOf(outgoingKind, { ...how, values: ['pending', kind] }))
}

/**
 * Takes due items, the longest due first, and counts an attempt of each. An item is held back while an earlier one of
 * its run, kind and destination is pending. If the taker dies, the item is due again after `holdMs`.
 */
export function takeItems({ kinds, now, limit, holdMs }: OutgoingQuery): RecordChange<readonly OutgoingRow[]> {
  const how = { index: 'due', upTo: now, isRising: true, firstOf: 'lane', limit: Math.max(limit, 0) }
  const reads = kinds.map((kind) => rowsOf(outgoingKind, { ...how, values: ['pending', kind] }))
  return {
    reads,
    judge: (found) => {
      const due = reads
        .flatMap((read) => found.rows(outgoingKind, read))
        .toSorted((one, other) => (one.body.due ?? 0) - (other.body.due ?? 0) || one.number - other.number)
      const taken = due.slice(0, how.limit).map(({ body, ...row }) => {
        return { ...row, body: { ...body, attempts: body.attempts + 1, due: now + holdMs } }
      })
      const damaged = reads.flatMap((read) => found.raw(read)).filter(({ body }) => !outgoingKind.isBody(body))
      return {
        answer: taken.toSorted((one, other) => one.number - other.number).map(rowIn),
        writes: [...taken.map(({ key, body }) => put(outgoingKind, key, body)), ...damaged.flatMap(asideIfDamaged)],
      }
    },
  }
}

/** Records that an item has arrived. Nothing is kept for a run that was deleted meanwhile. */
export function markSent(key: string): RecordChange<undefined> {
  return changeOf(key, ({ body: { due: _, problem: __, ...item }, runStatus }) => {
    if (item.state === 'sent') return undefined
    return runStatus === undefined ? drop(outgoingKind, key) : putItem(key, { ...item, state: 'sent', body: null })
  })
}

/**
 * Records that an item could not be sent. It is due again at `until`; without `until` it is set aside. Nothing changes
 * if another sender has taken the item since, or if it was sent.
 */
export function failItem(
  { key, attempts }: Pick<OutgoingRow, 'key' | 'attempts'>,
  { problem, until }: { readonly problem: string; readonly until?: number },
): RecordChange<undefined> {
  return changeOf(key, ({ body: { due, ...item } }) => {
    if (due === undefined || item.attempts !== attempts) return undefined
    return putItem(key, until === undefined ? { ...item, state: 'aside', problem } : { ...item, problem, due: until })
  })
}

/** Sends a waiting item at once and resets its attempts. The answer is false if it is unknown or was sent. */
export function retryItem(key: string): RecordChange<boolean> {
  return changing(outgoingKind, key, (row) => {
    if (row === undefined || row.body.state === 'sent') return { answer: false, writes: [] }
    const { body } = row
    return { answer: true, writes: [putItem(key, { ...body, state: 'pending', attempts: 0, due: body.at })] }
  })
}

/** Deletes an item in any state. The answer is false if the item does not exist. */
export function dropItem(key: string): RecordChange<boolean> {
  return {
    reads: [rowOf(outgoingKind, key)],
    judge: (found) => {
      const isKept = found.has(outgoingKind, key)
      return { answer: isKept, writes: isKept ? [drop(outgoingKind, key)] : [] }
    },
  }
}

/** Returns an item in the form of lists. */
export function rowIn({ key, body }: Pick<StoredRecord<KeptItem>, 'key' | 'body'>): OutgoingRow {
  return { ...body, key }
}

function changeOf(
  key: string,
  change: (row: StoredRecord<KeptItem>) => RecordWrite | undefined,
): RecordChange<undefined> {
  const judge = (row: StoredRecord<KeptItem> | undefined) => {
    const write = row && change(row)
    return { answer: undefined, writes: write === undefined ? [] : [write] }
  }
  return { ...changing(outgoingKind, key, judge), isWrite: true }
}

function putItem(key: string, item: KeptItem): RecordWrite {
  return put(outgoingKind, key, item)
}

/** Sets an unreadable item aside, so that it does not block later items. Its key identifies it. */
function asideIfDamaged({ key }: FoundRow): readonly RecordWrite[] {
  const [runId = '', kind = '', destination = '', id = ''] = JSON.parse(key) as readonly string[]
  const problem = 'Its stored body is unreadable.'
  return [putItem(key, { id, kind, destination, body: null, runId, state: 'aside', at: 0, attempts: 0, problem })]
}
