import { isSaidByUser } from './background.ts'
import type { Json } from './text/json.ts'
import type { InputMessage } from './message.ts'

/** A reference to a message to a run: the row of its inbox. */
export interface SaidPlace {
  readonly inboxId: number
}

/** A reference to a message to a run, with the warnings of the input filters; absent without warnings. */
export interface SaidHead extends SaidPlace {
  readonly warnings?: readonly string[]
}

/**
 * The place of the messages that a run begins with: its stored input, a context builder's replacement in the log, or
 * its transcript.
 */
export type InputPlace = 'row' | 'built' | 'taken'

/** The input of a run. */
export interface GivenInput {
  readonly messages: readonly InputMessage[]
  /** The value for a context builder in place of messages; absent without one. */
  readonly value?: Json
}

/** The values that heads refer to. */
export interface Payloads {
  readonly input: GivenInput
  /** Returns the messages of a row in the run's inbox; empty if a filter has rejected them. */
  said(inboxId: number): readonly InputMessage[]
}

/** Returns the messages with the warnings appended to the last user message, for the model. */
export function withWarnings(messages: readonly InputMessage[], warnings: readonly string[]): readonly InputMessage[] {
  if (warnings.length === 0) return messages
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const notes = warnings.map((text) => ({ type: 'text' as const, text: `[Warning: ${text}]` }))
  return messages.map((message, index) =>
    index === last && message.role === 'user' ? { ...message, content: [...message.content, ...notes] } : message,
  )
}

/** Empty payloads. */
export const noPayloads: Payloads = { input: { messages: [] }, said: () => [] }

/** Returns the first messages that the transcript lacks; `built` is the context builder's value in the log. */
export function inputAt(place: InputPlace, { messages }: GivenInput, built: Json = []): readonly InputMessage[] {
  if (place !== 'built') return place === 'row' ? messages : []
  return [...messages.filter((message) => !isSaidByUser(message)), ...(built as unknown as readonly InputMessage[])]
}

/** Returns the messages of a head, with the filters' warnings. */
export function saidBy({ inboxId, warnings = [] }: SaidHead, { said }: Pick<Payloads, 'said'>) {
  return withWarnings(said(inboxId), warnings)
}
