import type { Json } from './text/json.ts'
import type { InputMessage } from './message.ts'

/**
 * Where something said to a run stands: in a row of its inbox. Earlier versions have stored the messages in the place of the
 * row; that is read for ever and written no more.
 */
export type SaidPlace = { readonly inboxId: number } | { readonly messages: readonly InputMessage[] }

/** Something said to a run, with what the input filters warn of; where they have warned of nothing, absent. */
export type SaidHead = SaidPlace & { readonly warnings?: readonly string[] }

/**
 * Where the messages stand that a run begins with: in the input it was stored with, of which a context builder has put others
 * in the log, or in its transcript. Earlier versions have stored what was built; that is read for ever and written no more.
 */
export type InputPlace = 'row' | 'built' | 'taken' | readonly InputMessage[]

/** What a run was begun with. */
export interface GivenInput {
  readonly messages: readonly InputMessage[]
  /** What a context builder was given in place of messages; absent for nothing. */
  readonly value?: Json
}

/** What heads stand for. */
export interface Payloads {
  readonly input: GivenInput
  /** The messages of a row of the run's inbox; none where a filter has refused them. */
  said(inboxId: number): readonly InputMessage[]
}

/** Messages with the texts by which the model is told of warnings, at the end of what a person said last. */
export function withWarnings(messages: readonly InputMessage[], warnings: readonly string[]): readonly InputMessage[] {
  if (warnings.length === 0) return messages
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const notes = warnings.map((text) => ({ type: 'text' as const, text: `[Warning: ${text}]` }))
  return messages.map((message, index) =>
    index === last && message.role === 'user' ? { ...message, content: [...message.content, ...notes] } : message,
  )
}

/** Where there is nothing to take in. */
export const noPayloads: Payloads = { input: { messages: [] }, said: () => [] }

/** The messages a run begins with, as far as its transcript lacks them; `built` is what the log has of a context builder. */
export function inputAt(place: InputPlace, { messages }: GivenInput, built: Json = []): readonly InputMessage[] {
  if (typeof place !== 'string') return place
  if (place !== 'built') return place === 'row' ? messages : []
  return [...messages.filter(({ role }) => role !== 'user'), ...(built as unknown as readonly InputMessage[])]
}

/** What a head says, with what the filters warn of. */
export function saidBy(head: SaidHead, { said }: Pick<Payloads, 'said'>): readonly InputMessage[] {
  return withWarnings('inboxId' in head ? said(head.inboxId) : head.messages, head.warnings ?? [])
}
