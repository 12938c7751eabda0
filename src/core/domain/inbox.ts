import type { Decision, DecisionAnswer, DecisionReceipt } from './decision.ts'
import type { MarkedEvent } from './marked-event.ts'
import type { Json } from './text/json.ts'
import type { ExtensionMessage, InputMessage } from './message.ts'

/** A stored decision with its call, and with the suspension that it answers (null for a kept one). */
export interface StoredDecision extends Decision {
  readonly decisionId: string
  readonly callId: string
  readonly suspensionId: string | null
  /** The id of its grant beyond the call. */
  readonly grantId?: string
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** Returns the event of a decision that a run processes, without what the entry and the run add. */
export function decidedEvent(decision: StoredDecision): MarkedEvent {
  const { callId, decisionId, suspensionId, action, scope, by } = decision
  const more = { ...(scope === undefined ? {} : { scope }), ...(by === undefined ? {} : { by }) }
  return { type: 'call.decided', callId, decisionId, suspensionId, action, ...more }
}

/** An item that others send to a run. Its driver processes rows in order of `id`, and consumes each in a commit. */
export type InboxItem =
  | { readonly kind: 'decision'; readonly decision: StoredDecision }
  | { readonly kind: 'cancel'; readonly reason?: string }
  | { readonly kind: 'cancelCall'; readonly callId: string; readonly reason?: string }
  | { readonly kind: 'steer' | 'followUp'; readonly messages: readonly InputMessage[] }
  /** The result of the background work of a child. A run keeps one row for each child. */
  | { readonly kind: 'background'; readonly childRunId: string; readonly messages: readonly InputMessage[] }
  | { readonly kind: 'extension'; readonly message: ExtensionMessage }
  /** A service's event that answers a call. A store keeps it as a decision and never as a row of this kind. */
  | { readonly kind: 'serviceAnswer'; readonly body: Json }

/**
 * Kinds of messages to a run. A run is not done before it has processed these rows. Messages that it processes after
 * the announcement of its end, while a hook `afterRun` runs, are undelivered.
 */
export const queuedKinds: ReadonlySet<string> = new Set<InboxItem['kind']>([
  'steer',
  'followUp',
  'background',
  'extension',
])

/** Kinds of messages for the model; the chart's queue refers to their rows. */
export const saidKinds = ['steer', 'followUp', 'background'] as const

/** Kinds of items that may change the behavior of a resting run. */
export const changingKinds: ReadonlySet<string> = new Set<InboxItem['kind']>(['decision', 'cancel', 'cancelCall'])

/** An item that is posted directly. Decisions go through `decide`, which finds their suspension. */
export type PostedItem = Exclude<InboxItem, { kind: 'decision' }>

/**
 * The answer to a posted item, with the values of `decide`; only `applied` stores the item. A store answers `refused`
 * only for an invalid answer of a service.
 */
export type PostAnswer = Exclude<DecisionAnswer, 'kept'>

/** The receipt of a posted item; `target` is its call, or the run. */
export interface PostReceipt extends Pick<DecisionReceipt, 'target' | 'message'> {
  readonly answer: PostAnswer
}

/** A stored item; a commit consumes it. */
export interface InboxRow {
  /** The number of the row, rising within a store. */
  readonly id: number
  readonly item: InboxItem
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** Returns the messages of a row for the model; empty for other rows and for rejected messages. */
export function saidIn({ item }: InboxRow): readonly InputMessage[] {
  return 'messages' in item ? item.messages : []
}

/** Returns the call or child that a posted item is about, which its row names; null for any other item. */
export function aboutIn(item: PostedItem): string | null {
  if (item.kind === 'cancelCall') return item.callId
  return item.kind === 'background' ? item.childRunId : null
}
