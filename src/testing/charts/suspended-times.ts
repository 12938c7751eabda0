import type { Facts } from './facts.ts'

/** How often each call has suspended, for the ids of suspensions and decisions. */
export function suspendedTimes({ calls }: Facts): (callId: string) => number {
  return (callId) => calls[callId]?.suspensions ?? 0
}
