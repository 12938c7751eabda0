import type { Decision, DecisionAnswer, DecisionReceipt } from './decision.ts'
import type { Json } from './text/json.ts'
import { type ExtensionMessage, type InputMessage, userMessage } from './message.ts'

/** A decision as stored: resolved to its call, and to the suspension it answers (null for a kept one). */
export interface StoredDecision extends Decision {
  readonly decisionId: string
  readonly callId: string
  readonly suspensionId: string | null
  /** What it grants beyond its call. */
  readonly grantId?: string
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** What others send to a run. Its driver picks rows up in order of `id`, and consumes each in a commit. */
export type InboxItem =
  | { readonly kind: 'decision'; readonly decision: StoredDecision }
  | { readonly kind: 'cancel'; readonly reason?: string }
  | { readonly kind: 'cancelCall'; readonly callId: string; readonly reason?: string }
  | { readonly kind: 'steer' | 'followUp'; readonly messages: readonly InputMessage[] }
  /** As earlier versions have stored it: one message of one text. */
  | { readonly kind: 'steer' | 'followUp'; readonly text: string }
  | { readonly kind: 'extension'; readonly message: ExtensionMessage }
  /** The event of a service that answers a call: a store keeps it as the decision that it is, and no row of this kind. */
  | { readonly kind: 'serviceAnswer'; readonly body: Json }

/**
 * What is said to a run that is under way. No run is done before it has taken these rows in. What it takes in after it
 * has told its end, while a hook `afterRun` is at work, is undelivered.
 */
export const queuedKinds: ReadonlySet<string> = new Set<InboxItem['kind']>(['steer', 'followUp', 'extension'])

/** What is said to a run for its model: the queue of its chart names the rows. */
export const saidKinds: ReadonlySet<string> = new Set<InboxItem['kind']>(['steer', 'followUp'])

/** Kinds of items that may change what a run that rests does. */
export const changingKinds: ReadonlySet<string> = new Set<InboxItem['kind']>(['decision', 'cancel', 'cancelCall'])

/** An item that is posted as it is. Decisions go through `decide`, which finds the suspension they are for. */
export type PostedItem = Exclude<InboxItem, { kind: 'decision' }>

/** The answer to a posted item, with the words of `decide`; only `applied` stores anything. A store gives `refused` for the answer of a service alone, where it is none. */
export type PostAnswer = Exclude<DecisionAnswer, 'kept'>

/** The answer to a posted item; `target` is the call it is for, or the run. */
export interface PostReceipt extends Pick<DecisionReceipt, 'target' | 'message'> {
  readonly answer: PostAnswer
}

/** One item as a store keeps it; a commit consumes it. */
export interface InboxRow {
  /** Rising within a store. */
  readonly id: number
  readonly item: InboxItem
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** What a row of steering or of a follow-up says; nothing where it is another row, or its messages were refused. */
export function saidIn({ item, at }: InboxRow): readonly InputMessage[] {
  if (item.kind !== 'steer' && item.kind !== 'followUp') return []
  return 'messages' in item ? item.messages : [userMessage(item.text, at)]
}
