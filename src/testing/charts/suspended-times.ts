import type { Facts } from './facts.ts'

/** Returns a function that counts the suspensions of a call, for the ids of suspensions and decisions. */
export function suspendedTimes({ calls }: Facts): (callId: string) => number {
  return (callId) => calls[callId]?.suspensions ?? 0
}
