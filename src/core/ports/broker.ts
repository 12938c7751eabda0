import type { ServiceEvent } from '../domain/service-event.ts'

/** A filter of events; an event must match every given field. */
export interface Subscription {
  /** The types of the events. */
  readonly types?: readonly string[]
  /** The destination of the event, or a prefix of it. */
  readonly to?: string
  readonly domain?: string
}

/** Carries events between runs and services. An event may arrive more than once, always with the same source and id. */
export interface Broker {
  /** Resolves when the receiver has accepted the event. Rejects if it has not; then the event is sent again. */
  publish(event: ServiceEvent): Promise<void>
  /**
   * Calls a function with each matching event. The event counts as accepted when the function's promise resolves.
   * Returns a function that ends the subscription.
   */
  subscribe(subscription: Subscription, receive: (event: ServiceEvent) => unknown): () => void
}

/** Returns true for an event that matches the subscription. */
export function isMeant({ types, to, domain }: Subscription, event: ServiceEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (to !== undefined && event.to?.startsWith(to) !== true) return false
  return domain === undefined || event.domain === domain
}
