import type { ServiceEvent } from '../domain/service-event.ts'

/** Which events are meant: those of which every field that is given is true. */
export interface Subscription {
  /** Types of events. */
  readonly types?: readonly string[]
  /** What the event is addressed to, or what that begins with. */
  readonly to?: string
  readonly domain?: string
}

/** Carries events between runs and services. An event may come more than once, always under its source and id. */
export interface Broker {
  /** Resolves once whoever is to hear an event has taken it in; rejects where nobody has, and then it is tried again. */
  publish(event: ServiceEvent): Promise<void>
  /**
   * Has a function called with each event that is meant. An event is taken in once what the function gives has resolved.
   * Gives a function that ends it.
   */
  subscribe(subscription: Subscription, heard: (event: ServiceEvent) => unknown): () => void
}

/** True for an event that is meant. */
export function isMeant({ types, to, domain }: Subscription, event: ServiceEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (to !== undefined && event.to?.startsWith(to) !== true) return false
  return domain === undefined || event.domain === domain
}
