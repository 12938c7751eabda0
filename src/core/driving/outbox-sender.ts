import { tried } from '../domain/ignore-throws.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { type Clock, inTime } from '../ports/clock.ts'
import { failItem, markSent, nextReads, type OutgoingRow, outgoingKind, takeItems } from '../domain/outgoing.ts'
import type { Store } from '../ports/store.ts'
import { checkRecords } from './check-records.ts'
import { Waker } from './waker.ts'

/** An item that could not be published. */
export interface PublishFailure {
  readonly row: OutgoingRow
  readonly problem: string
  /** True if the row is no longer tried. */
  readonly isAside: boolean
}

/** The destination and the limits of a sender. */
export interface SenderOptions {
  /** The owner of the option `store`, for error messages. */
  readonly of: string
  readonly store: Store
  readonly kinds: readonly string[]
  readonly clock: Clock
  /** Delivers a row; a rejected one is tried again. */
  readonly deliver: (row: OutgoingRow) => unknown
  readonly maxAttempts: number
  /** Milliseconds one attempt may take. */
  readonly attemptMs: number
  /** Called after each failed attempt, and not awaited. */
  readonly onFailure?: ((failure: PublishFailure) => unknown) | undefined
}

/** Sends the items in a store's outbox until it is stopped. */
export interface Sender {
  /** Sends due items in up to the given number of rounds of 32; resolves with the number of rows left. */
  flush(rounds?: number): Promise<number>
  /** Resolves when all rows that it took before are delivered or rejected. */
  settled(): Promise<unknown>
  /** Begins nothing more; resolves when the running work has finished. */
  stop(): Promise<void>
}

const atOnce = 32
/** After this many rounds the sender pauses, so that a flush does not wait for everything. */
const roundsAtOnce = 8

/** Sends rows of these kinds from now on, whenever a commit stores some or an attempt is due. */
export function outboxSender({
  clock,
  kinds,
  deliver,
  maxAttempts,
  attemptMs,
  onFailure,
  ...options
}: SenderOptions): Sender {
  const { store } = options
  checkRecords(store, options.of)
  const stopping = new AbortController()
  const flushing = new Set<Promise<number>>()
  const waker = new Waker()

  async function send(row: OutgoingRow): Promise<boolean> {
    const problem = await problemOf(row)
    if (problem === undefined) {
      await store.change(markSent(row.key))
      return true
    }
    const isAside = row.attempts >= maxAttempts
    const until = isAside ? {} : { until: clock.now() + Math.min(1_000 * 2 ** (row.attempts - 1), 60_000) }
    await store.change(failItem(row, { problem, ...until }))
    // A listener that throws does not stop the delivery.
    tried(() => onFailure?.({ row, problem, isAside }))
    return false
  }

  async function problemOf(row: OutgoingRow): Promise<string | undefined> {
    const { signal } = new AbortController()
    const late = () => new Error(`It was not accepted within ${attemptMs} ms.`)
    try {
      await inTime({ clock, signal }, attemptMs, async () => deliver(row), late)
      return undefined
    } catch (error) {
      return thrownText(error) || 'It failed.'
    }
  }

  async function sendDue(rounds: number): Promise<number> {
    let count = 0
    for (let round = 0; round < rounds; round++) {
      const query = { kinds, now: clock.now(), limit: atOnce, holdMs: 2 * attemptMs }
      const rows = await store.change(takeItems(query))
      if (rows.length === 0) return count
      const sent = await Promise.all(rows.map(send))
      count += sent.filter(Boolean).length
      if (stopping.signal.aborted) return count
    }
    return count
  }

  async function flush(rounds = Infinity): Promise<number> {
    const sending = sendDue(rounds)
    flushing.add(sending)
    try {
      return await sending
    } finally {
      flushing.delete(sending)
    }
  }

  /** The earliest time at which a row is due; it may be past. Undefined if none is pending. */
  async function nextDue(): Promise<number | undefined> {
    const reads = nextReads(kinds)
    const found = await store.records(reads)
    const dues = reads.flatMap((read) => found.rows(outgoingKind, read)).flatMap(({ body }) => body.due ?? [])
    return dues.length === 0 ? undefined : Math.min(...dues)
  }

  async function run(): Promise<void> {
    const unwatch = store.watch(undefined, () => waker.wake())
    while (!stopping.signal.aborted) {
      const woken = waker.listen()
      // A store that cannot be reached is asked again when something happens, or after a while.
      const due = await flush(roundsAtOnce)
        .then(nextDue)
        .catch(() => clock.now() + 1_000)
      if (stopping.signal.aborted) break
      await woken.within(clock, due === undefined ? due : Math.max(due, clock.now() + 1), stopping.signal)
    }
    unwatch()
  }

  const ended = run()
  const stop = () => {
    stopping.abort()
    return ended
  }
  return { flush, settled: () => Promise.allSettled(flushing), stop }
}
