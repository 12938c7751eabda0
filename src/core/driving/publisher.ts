import { readEvent } from '../domain/service-event.ts'
import {
  checkOptions,
  having,
  number,
  optional,
  type OptionShape,
  callback,
  wholeFrom,
} from '../domain/text/option-shape.ts'
import type { Broker } from '../ports/broker.ts'
import type { Clock } from '../ports/clock.ts'
import type { OutgoingRow } from '../domain/outgoing.ts'
import type { Store } from '../ports/store.ts'
import { outboxSender, type PublishFailure } from './outbox-sender.ts'

/** Options of a publisher. */
export interface PublisherOptions {
  /** The store of the runs. Every publisher of one store sends all that its runs send. */
  readonly store: Store
  readonly broker: Broker
  readonly clock?: Clock
  /** The maximum attempts before an event is set aside until `retryOutgoing`. Default 8. */
  readonly maxAttempts?: number
  /** Milliseconds one attempt may take; then it has failed, and another publisher may try. Default 30,000. */
  readonly attemptMs?: number
  /** Called after each failed attempt, and not awaited. */
  readonly onFailure?: (failure: PublishFailure) => unknown
}

/** Publishes outgoing events at least once, and in order for each destination of a run. */
export interface Publisher extends AsyncDisposable {
  /** Publishes due events; resolves when none is due, with the number of events left. */
  flush(): Promise<number>
  /** Begins nothing more; resolves when the running work has finished. */
  stop(): Promise<void>
}

/**
 * Publishes what the runs of a store send, from now on, whenever a commit sends something or an attempt is due. The
 * publisher keeps its process alive only while something is unsent.
 *
 * @example
 * const publisher = createPublisher({ store, broker })
 * await publisher.stop()
 */
export function createPublisher(options: PublisherOptions & { readonly clock: Clock }): Publisher {
  checkOptions('createPublisher', options, shape)
  const { store, broker, clock, maxAttempts = 8, attemptMs = 30_000, onFailure } = options
  const deliver = ({ body }: OutgoingRow) => {
    const read = readEvent(body)
    if ('problem' in read) throw new Error(read.problem)
    return broker.publish(read.event)
  }
  const given = { of: 'createPublisher', kinds: ['event'], store, clock, deliver, maxAttempts, attemptMs, onFailure }
  const sender = outboxSender(given)
  const stop = () => sender.stop()
  return { flush: () => sender.flush(), stop, [Symbol.asyncDispose]: stop }
}

const positive = number('more than 0 milliseconds', (ms) => ms > 0 && ms <= 2 ** 30)

const shape: OptionShape<PublisherOptions> = {
  store: having('a store, such as sqliteStore(path)', 'create', 'commit'),
  broker: having('a broker, such as inProcessBroker()', 'publish', 'subscribe'),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
  maxAttempts: optional(wholeFrom(1)),
  attemptMs: optional(positive),
  onFailure: optional(callback),
}
