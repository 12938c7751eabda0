import type { ServiceEvent } from '../domain/service-event.ts'
import { type Broker, isMeant, type Subscription } from '../ports/broker.ts'

interface Subscriber {
  readonly subscription: Subscription
  readonly receive: (event: ServiceEvent) => unknown
}

/**
 * Creates a broker for the runs and services of one process. It passes an event to each matching subscriber in turn. It
 * rejects an event that nobody subscribes to, so that the event is sent again.
 *
 * @example
 * const broker = inProcessBroker()
 * broker.subscribe({ types: ['com.bank.payment'] }, async (asked) => broker.publish(await pay(asked)))
 */
export function inProcessBroker(): Broker {
  const subscribers = new Set<Subscriber>()
  return {
    async publish(event) {
      const meant = [...subscribers].filter(({ subscription }) => isMeant(subscription, event))
      if (meant.length === 0) {
        const to = event.to === undefined ? '' : ` for ${event.to}`
        throw new Error(`There is no subscriber for events of type "${event.type}"${to}. Subscribe to them first.`)
      }
      for (const { receive } of meant) await receive(structuredClone(event))
    },
    subscribe(subscription, receive) {
      const subscriber = { subscription, receive }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
  }
}
