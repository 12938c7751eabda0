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

/** The queued messages that a turn takes: only the first, or all of them. */
export type QueueMode = 'one' | 'all'

/** A message to a running run: a head, whose messages are in a row of the run's inbox. */
export type Queued = SaidHead & {
  readonly kind: QueuedKind | AwaitedKind
  /** False while the input filters are asked about it, true once they have let it pass. */
  readonly isFiltered?: boolean
}

/** The input of the filters: a reference to the prompt or to a queued message. */
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

/** The verdict of the input filters. After the first rejection, no further filter is asked. */
export interface FilterVerdict {
  readonly warnings?: readonly string[]
  readonly rejection?: Rejection
  readonly at: number
}

/** The positions of the messages for which plugins look up memories. */
export interface RecallAsked {
  readonly phase: 'recall'
  readonly input: InputPlace
}

/** The input from which plugins build the context of a run. */
export interface BuildContextInput {
  readonly messages: readonly UserMessage[]
  readonly value: Json
}

/** The context that plugins have built; its instructions are in the log. */
export interface BuiltContext {
  /** In place of the user's own; absent if these stay. */
  readonly messages?: readonly UserMessage[]
  readonly at: number
}

/** The positions of the messages from which the context of a run is built. */
export interface ContextAsked {
  readonly phase: 'buildContext'
  readonly input: InputPlace
}

/** The answer of the plugins that build the context: `isBuilt` if their messages stand in the log for the user's. */
export interface ContextAnswered {
  readonly isBuilt?: boolean
  readonly at: number
}
