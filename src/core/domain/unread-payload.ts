import type { ResumeMode } from './call.ts'
import type { Json } from './text/json.ts'

/** The payload of a decision. */
export interface Payload {
  readonly input?: Json | undefined
  readonly result?: Json | undefined
}

/** Returns the problem with a payload that a resume mode does not read, or undefined if it reads all of it. */
export function unreadPayload(mode: ResumeMode, { input, result }: Payload): string | undefined {
  if (mode === 'replay') {
    if (result === undefined) return undefined
    return 'A replayed call takes no "result". To give its result, answer with "respond".'
  }
  if (input === undefined) return undefined
  return mode === 'use-as-result'
    ? 'A call whose result is given takes no "input". To run it with other arguments, answer with "edit".'
    : 'A call that receives a value takes no "input". To give the value, answer with "pass".'
}
