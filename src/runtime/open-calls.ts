import type { CallRecord, CallStatus } from '../domain/call.ts'
import type { LogEntry } from '../domain/log.ts'
import { type StoredActor, topLevelState } from './persist.ts'

/** What the record of an open call holds beyond what it was reserved with; its status only where no actor tells it. */
export type OpenCall = Partial<Pick<CallRecord, 'status' | 'revision' | keyof Gained>>

/** Fields a record has none of when its slot is reserved. */
type Gained = Pick<CallRecord, 'editedArguments' | 'suspension' | 'placeholder' | 'result' | 'patch'>

/** By call id; a call that only runs has an actor and nothing here. */
export type OpenCalls = { readonly [callId: string]: OpenCall }

/** What a checkpoint keeps of open calls beside their actors, since their rows will be written over. */
export function openCallsOf(records: readonly CallRecord[], { children = {} }: StoredActor): OpenCalls {
  const entries = records.flatMap((record): readonly [string, OpenCall][] => {
    const { callId, status, revision, editedArguments, suspension, placeholder, result, patch } = record
    const gained = { editedArguments, suspension, placeholder, result, patch }
    const known = Object.entries(gained).filter(([, value]) => value !== undefined)
    const open: OpenCall = {
      ...(children[callId] === undefined ? { status } : {}),
      ...(revision === 0 ? {} : { revision }),
      ...Object.fromEntries(known),
    }
    return Object.keys(open).length === 0 ? [] : [[callId, open]]
  })
  return Object.fromEntries(entries)
}

/** A log whose calls are as they were at a checkpoint, from one whose rows may have been written over since. */
export function logAsOf(log: readonly LogEntry[], root: StoredActor, calls: OpenCalls): readonly LogEntry[] {
  return log.map((entry) => (entry.kind === 'call' ? { ...entry, call: callAsOf(entry.call, root, calls) } : entry))
}

/** A call neither acting nor open was published by then, and nothing of it changes any more. */
function callAsOf(call: CallRecord, { children = {} }: StoredActor, calls: OpenCalls): CallRecord {
  const { editedArguments: _, suspension: __, placeholder: ___, result: ____, patch: _____, ...reserved } = call
  const actor = children[call.callId]?.snapshot
  const open = calls[call.callId]
  if (actor === undefined && open === undefined) return call
  return {
    ...reserved,
    revision: 0,
    ...(actor === undefined ? {} : { status: topLevelState(actor.value) as CallStatus }),
    ...open,
  }
}
