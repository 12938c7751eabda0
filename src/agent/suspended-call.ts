import { argumentsOf } from '../effects/call-arguments.ts'
import type { CallRecord } from '../domain/call.ts'
import type { Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'

/** A call that waits for a decision, with what whoever decides needs to know. */
export interface SuspendedCall extends CallRecord {
  /** What the call runs with once it is approved: the latest edit, else what the model gave. */
  readonly arguments: Json
}

/** The suspended ones of these calls, their arguments read from the log. */
export function suspendedCalls(calls: readonly CallRecord[], log: readonly LogEntry[]): readonly SuspendedCall[] {
  const messages = new Map(
    log.flatMap((entry) => (entry.kind === 'message' ? [[entry.seq, entry.message] as const] : [])),
  )
  const view = { message: (seq: number) => messages.get(seq) }
  return calls
    .filter(({ status }) => status === 'suspended')
    .map((call) => ({ ...call, arguments: argumentsOf(call, view) }))
}
