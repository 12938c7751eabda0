import { readEvent } from '../domain/service-event.ts'
import { checkOptions, having, number, optional, type OptionShape, callback } from '../domain/option-shape.ts'
import { thrownText } from '../domain/thrown-text.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { Broker } from '../ports/broker.ts'
import type { Clock } from '../ports/clock.ts'
import type { OutboxStore, OutgoingRow } from '../ports/outbox.ts'
import type { Store } from '../ports/store.ts'

/** How what runs send is published. */
export interface PublisherOptions {
  /** The store of the runs. Every publisher of one store sends all that its runs send. */
  readonly store: Store
  readonly broker: Broker
  readonly clock?: Clock
  /** How often an event is tried before it is set aside, until `store.retryOutgoing`. Default 8. */
  readonly maxAttempts?: number
  /** Milliseconds one attempt may take; then it has failed, and another publisher may try. Default 30,000. */
  readonly attemptMs?: number
  /** Is told of each attempt that failed; nobody awaits it. */
  readonly onFailure?: (failure: PublishFailure) => unknown
}

/** An event that could not be published. */
export interface PublishFailure {
  readonly row: OutgoingRow
  readonly problem: string
  /** True where nobody tries any more. */
  readonly isAside: boolean
}

/** Takes what is to leave and publishes it: at least once, and in order for each destination of a run. */
export interface Publisher extends AsyncDisposable {
  /** Publishes what is due; resolves once nothing is, with how many events left. */
  flush(): Promise<number>
  /** Begins nothing more; resolves once what is under way has come back. */
  stop(): Promise<void>
}

const kinds = ['event']
const atOnce = 32

/**
 * Publishes what the runs of a store send, from now on, whenever a commit sends something or an attempt is due. It keeps
 * its process alive only while something is to be sent.
 *
 * @example
 * const publisher = createPublisher({ store, broker })
 * await publisher.stop()
 */
export function createPublisher(options: PublisherOptions & { readonly clock: Clock }): Publisher {
  checkOptions('createPublisher', options, shape)
  const { broker, clock, maxAttempts = 8, attemptMs = 30_000, onFailure } = options
  const store = outboxOf(options.store)
  const stopping = new AbortController()
  let news = Promise.withResolvers<void>()
  const ring = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  stopping.signal.addEventListener('abort', ring, { once: true })

  async function send(row: OutgoingRow): Promise<boolean> {
    const problem = await problemOf(row)
    if (problem === undefined) {
      await store.markSent(row.number, clock.now())
      return true
    }
    const isAside = row.attempts >= maxAttempts
    const until = isAside ? {} : { until: clock.now() + Math.min(1_000 * 2 ** (row.attempts - 1), 60_000) }
    await store.failOutgoing(row, { problem, ...until })
    try {
      onFailure?.({ row, problem, isAside })
    } catch {
      // Whoever is told keeps nothing from being sent.
    }
    return false
  }

  async function problemOf({ body }: OutgoingRow): Promise<string | undefined> {
    const read = readEvent(body)
    if ('problem' in read) return read.problem
    const over = new AbortController()
    const late = clock
      .sleepUntil(clock.now() + attemptMs, over.signal)
      .then(() => (over.signal.aborted ? undefined : `It was not taken within ${attemptMs} ms.`))
    const sent = Promise.resolve()
      .then(() => broker.publish(read.event))
      .then(
        () => undefined,
        (error: unknown) => thrownText(error) || 'It failed.',
      )
    const problem = await Promise.race([sent, late])
    over.abort()
    return problem
  }

  async function flush(): Promise<number> {
    let count = 0
    for (;;) {
      const rows = await store.takeOutgoing({ kinds, now: clock.now(), limit: atOnce, holdMs: 2 * attemptMs })
      if (rows.length === 0) return count
      const sent = await Promise.all(rows.map(send))
      count += sent.filter(Boolean).length
      if (stopping.signal.aborted) return count
    }
  }

  async function run(): Promise<void> {
    const unwatch = store.watchAll?.(ring)
    while (!stopping.signal.aborted) {
      const { promise } = news
      // A store that cannot be reached is asked again when something happens, or after a while.
      const due = await flush()
        .then(() => store.nextOutgoing(kinds))
        .catch(() => clock.now() + 1_000)
      if (stopping.signal.aborted) break
      const over = new AbortController()
      const slept = due === undefined ? promise : clock.sleepUntil(Math.max(due, clock.now() + 1), over.signal)
      await Promise.race([promise, slept])
      over.abort()
    }
    unwatch?.()
  }

  const ended = run()
  const stop = () => {
    stopping.abort()
    return ended
  }
  return { flush, stop, [Symbol.asyncDispose]: stop }
}

function outboxOf(store: Store): Store & OutboxStore {
  if (hasOutbox(store)) return store
  const wish = 'Use one that has takeOutgoing, such as sqliteStore(path).'
  throw new UsageError('bad_option', `The store of createPublisher keeps nothing that is to leave. ${wish}`)
}

function hasOutbox(store: Store): store is Store & OutboxStore {
  return store.takeOutgoing !== undefined
}

const positive = number('more than 0 milliseconds', (ms) => ms > 0 && ms <= 2 ** 30)

const shape: OptionShape<PublisherOptions> = {
  store: having('a store, such as sqliteStore(path)', 'create', 'commit'),
  broker: having('a broker, such as inProcessBroker()', 'publish', 'subscribe'),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
  maxAttempts: optional(number('a whole number of 1 or more', (count) => Number.isSafeInteger(count) && count >= 1)),
  attemptMs: optional(positive),
  onFailure: optional(callback),
}
