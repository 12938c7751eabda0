import type { LogEntry, MarkEntry } from '../domain/log.ts'
import { own } from './apply-write.ts'
import type { Change } from './change.ts'
import type { Announced, DriveOptions } from './drive-options.ts'
import { type CallRecord, settledCall, toldCall, withArguments } from '../domain/call.ts'
import type { MarkedEvent } from '../domain/marked-event.ts'
import type { Message } from '../domain/message.ts'

/** The data from which the events of marks are made. */
export interface MarkContext extends Pick<Announced, 'origin' | 'context' | 'log'>, Pick<DriveOptions, 'toEvent'> {}

/** Returns the new entries of a change. Each open mark is filled in from the state that the commit leaves. */
export function newEntries(
  { open, append }: Pick<Change, 'open' | 'append'>,
  { toEvent, log, origin, context }: MarkContext,
): readonly LogEntry[] {
  if (open === undefined) return append
  return append.map((entry) => {
    const { seq } = entry
    const mark = open.get(seq)
    if (mark === undefined) return entry
    const event =
      'callId' in mark ? callEvent(log.requireCall(mark.callId), log) : toEvent({ ...mark, seq, origin, context, log })
    return event === undefined ? entry : own<LogEntry>({ ...(entry as MarkEntry), event })
  })
}

/** Returns the event of a call that has settled or is suspended, or undefined for any other call. */
function callEvent(call: CallRecord, view: { message(seq: number): Message | undefined }): MarkedEvent | undefined {
  const settled = settledCall(call)
  if (settled !== undefined) return { type: 'call.settled', ...settled }
  return call.status === 'suspended' ? { type: 'call.suspended', call: withArguments(toldCall(call), view) } : undefined
}
