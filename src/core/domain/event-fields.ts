import type { AgentEvent } from './event.ts'

/**
 * The reference from a field of a stored event to the log: one entry, several entries, one call or several calls. `own`
 * marks a field that is omitted because `message` has a field of the same name; `ownPlace` marks the omitted place of
 * the message.
 */
export type EventField = 'entry' | 'entries' | 'call' | 'calls' | 'own' | 'ownPlace'

/** The fields that the log already contains, by event type; every other field is stored unchanged. */
export const eventFields: { readonly [type in AgentEvent['type']]?: { readonly [field: string]: EventField } } = {
  'message.ended': { message: 'entry', place: 'ownPlace' },
  'run.ended': { undelivered: 'entry' },
  'call.suspended': { call: 'call' },
  'run.waiting': { suspended: 'calls' },
  'state.changed': { state: 'entry' },
}
