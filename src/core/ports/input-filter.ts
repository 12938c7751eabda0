import type { UserMessage } from '../domain/message.ts'

/**
 * What a filter answers about a message. Nothing lets the message pass, a warning goes to the model with it, a
 * rejection keeps it out.
 */
export type FilterAnswer = { readonly warn: string } | { readonly reject: string } | undefined | void

/** What a filter is told beside the messages. */
export interface FilterContext {
  readonly runId: string
  /** A prompt, steering or a follow-up. */
  readonly kind: 'prompt' | 'steer' | 'followUp'
  /** Fires when the run no longer wants an answer, and after `hookTimeoutMs`. */
  readonly signal: AbortSignal
}

/**
 * Looks at what comes into a run before a model does (requirement PH-03). Filters are asked in order; the first
 * rejection ends the asking. A filter that throws, answers something else or does not end within `hookTimeoutMs` ends
 * the run with an error that names the filter.
 *
 * @example
 * const noKeys: InputFilter = {
 *   name: 'no-keys',
 *   check: (messages) => (JSON.stringify(messages).includes('sk-') ? { reject: 'It holds a key.' } : undefined),
 * }
 */
export interface InputFilter {
  readonly name: string
  check(messages: readonly UserMessage[], context: FilterContext): FilterAnswer | Promise<FilterAnswer>
}
