import type { CallRecord } from '../domain/call.ts'
import type { Json } from '../domain/text/json.ts'
import { askedEvent, cancelEvent, type SentEvent, type ServiceEvent } from '../domain/service-event.ts'
import { requestIn } from '../domain/permission-request.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'

const eventKind = 'event'

/** Returns the events of a service call, one for each destination; for a hold, the request that it represents. */
export function askedItems(call: CallRecord, given: Json, now: number): readonly OutgoingItem[] {
  const { sends } = call.suspension ?? {}
  if (sends === undefined) return []
  const data = call.isHold === true ? requestIn(call).request : given
  return itemsOf(askedEvent(call.callId, sends, data, now), sends)
}

/**
 * Returns the event that notifies a service of a cancelled call, if its contract has such an event and the call was
 * sent.
 */
export function cancelItems({ callId, isSent, suspension }: CallRecord, now: number): readonly OutgoingItem[] {
  const { sends } = suspension ?? {}
  if (isSent !== true || sends?.cancel === undefined) return []
  return itemsOf(cancelEvent(callId, sends.cancel, sends, now), sends)
}

function itemsOf(event: ServiceEvent, { domains, type }: SentEvent): readonly OutgoingItem[] {
  if (domains.length === 0) return [eventItem(event, type)]
  return domains.map((domain) => eventItem({ ...event, domain }, domain))
}

/** Returns an event as an item for a destination. */
export function eventItem(event: ServiceEvent, destination: string): OutgoingItem {
  return { id: event.id, kind: eventKind, destination, body: event as unknown as Json }
}
