import type { StoredEvent } from '../../core/domain/event.ts'

/** The course of one call. */
export interface CallFact {
  readonly toolName: string
  /**
   * The reasons for which the call asked, in order: a rule, or the reason of the suspension. Interruptions are left
   * out.
   */
  readonly asked: readonly string[]
  /** The status in which the call settled, with the code of a failure; absent for a call that has not settled. */
  readonly ended?: string
}

/** The calls of a run by call id, in the order of their first mention. */
export type CallFacts = ReadonlyMap<string, CallFact>

/** Returns the outcome of each call from a run's events. */
export function factsIn(events: readonly StoredEvent[], idOf: (callId: string) => string): CallFacts {
  const facts = new Map<string, CallFact>()
  const change = (callId: string, toolName: string, more: (fact: CallFact) => Partial<CallFact>) => {
    const fact = facts.get(idOf(callId)) ?? { toolName, asked: [] }
    facts.set(idOf(callId), { ...fact, ...more(fact) })
  }
  for (const event of events) {
    if (event.type === 'call.suspended') {
      const { callId, toolName, isHold, suspension } = event.call
      if (isHold === true || suspension === undefined || suspension.reason === 'interrupted') continue
      const { reason, rule } = suspension
      change(callId, toolName, ({ asked }) => ({ asked: [...asked, rule === undefined ? reason : `rule "${rule}"`] }))
    }
    if (event.type === 'call.settled') change(event.callId, event.toolName, () => ({ ended: event.status }))
    if (event.type === 'message.ended' && event.message.role === 'toolResult') {
      const { callId, toolName, code } = event.message
      if (code !== undefined) change(callId, toolName, () => ({ ended: `failed (${code})` }))
    }
  }
  return facts
}
