import { systemClock } from '../ports/system-clock.ts'
import { createPublisher as publisherBy, type Publisher, type PublisherOptions } from '../driving/publisher.ts'

/**
 * Publishes what the runs of a store send, from now on. It keeps its process alive only while something is to be sent.
 *
 * @example
 * const publisher = createPublisher({ store, broker })
 * await publisher.stop()
 */
export function createPublisher(options: PublisherOptions): Publisher {
  return publisherBy({ clock: systemClock, ...options })
}
