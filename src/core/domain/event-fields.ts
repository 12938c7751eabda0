import type { AgentEvent } from './event.ts'

/**
 * How a field of a stored event tells what the log holds: by the place of one entry, of several, of a call, of several
 * calls. `own` is left out where it is the field of that name of `message`, `ownPlace` where it is its place.
 */
export type EventField = 'entry' | 'entries' | 'call' | 'calls' | 'own' | 'ownPlace'

/** The fields, by the type of their event, that the log holds already; every other field is stored as it is. */
export const eventFields: { readonly [type in AgentEvent['type']]?: { readonly [field: string]: EventField } } = {
  'message.ended': { message: 'entry', place: 'ownPlace' },
  'run.ended': { undelivered: 'entry' },
  'call.suspended': { call: 'call' },
  'run.waiting': { suspended: 'calls' },
  'state.changed': { state: 'entry' },
}
