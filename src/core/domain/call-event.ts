import { type CallRecord, settledCall, toldCall, withArguments } from './call.ts'
import type { MarkedEvent } from './marked-event.ts'
import type { Message } from './message.ts'

/** Returns the event of a call that has settled or is suspended, or undefined for any other call. */
export function callEvent(
  call: CallRecord,
  view: { message(seq: number): Message | undefined },
): MarkedEvent | undefined {
  const settled = settledCall(call)
  if (settled !== undefined) return { type: 'call.settled', ...settled }
  return call.status === 'suspended' ? { type: 'call.suspended', call: withArguments(toldCall(call), view) } : undefined
}
