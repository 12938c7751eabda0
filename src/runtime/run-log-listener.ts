import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/message.ts'

/** Hears what the log takes in, in order. */
export interface RunLogListener {
  /** `place` is where the transcript shows the message: of a late result its call's slot. */
  message(seq: number, message: Message, place: number): void
  callChanged(callId: string): void
  stateChanged(state: Json): void
}

/** A listener for a log that nobody watches. */
export const silent: RunLogListener = { message: () => {}, callChanged: () => {}, stateChanged: () => {} }
