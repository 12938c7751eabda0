import type { Json } from '../../src/core/domain/text/json.ts'
import type { UserMessage } from '../../src/core/domain/message.ts'
import type { InputPlace, SaidHead, SaidPlace } from '../../src/core/domain/payload.ts'

/**
 * Steering is processed before the next turn and skips calls that have not started; a follow-up is processed when the
 * run would end.
 */
export type QueuedKind = 'steer' | 'followUp'

/** Results of background work are processed together before the next turn, without filters. */
export type AwaitedKind = 'background'

/** The first one waiting, each a turn of its own; or all that wait together. */
export type QueueMode = 'one' | 'all'

/** A message to a running run: a head, whose messages are in a row of the run's inbox. */
export type Queued = SaidHead & {
  readonly kind: QueuedKind | AwaitedKind
  /** False while the input filters are asked about it, true once they have let it pass. */
  readonly isFiltered?: boolean
}

/** The question to the input filters: the place of the prompt, or a queued message. */
export type FilterAsked = { readonly phase: 'filterInput' } & (
  | { readonly kind: 'prompt'; readonly input: InputPlace }
  | (SaidPlace & { readonly kind: QueuedKind })
)

/** The messages for the input filters: a prompt, or a queued message. */
export interface FilterInput {
  readonly kind: 'prompt' | QueuedKind
  readonly messages: readonly UserMessage[]
}

/** The rejection of a message by a filter. */
export interface Rejection {
  /** Name of the filter. */
  readonly filter: string
  readonly reason: string
}

/** The verdict of the input filters; the first rejection ends the asking. */
export interface FilterVerdict {
  readonly warnings?: readonly string[]
  readonly rejection?: Rejection
  readonly at: number
}

/** The places of the messages that plugins are asked to remember about. */
export interface RecallAsked {
  readonly phase: 'recall'
  readonly input: InputPlace
}

/** The input that plugins make the context of a run from. */
export interface BuildContextInput {
  readonly messages: readonly UserMessage[]
  readonly value: Json
}

/** The context that plugins have made; its instructions are in the log. */
export interface BuiltContext {
  /** In place of the user's own; absent if these stay. */
  readonly messages?: readonly UserMessage[]
  readonly at: number
}

/** The places of the messages that the context of a run is made from. */
export interface ContextAsked {
  readonly phase: 'buildContext'
  readonly input: InputPlace
}

/** Says whether plugins have put messages into the log, in place of the user's own. */
export interface ContextAnswered {
  readonly isBuilt?: boolean
  readonly at: number
}
