/**
 * What a plugin answers about a message that comes in (requirement PH-03). Nothing lets the message pass, a warning goes to
 * the model with it, a rejection keeps it out.
 */
export type FilterAnswer = { readonly warn: string } | { readonly reject: string } | undefined | void

/** What a filter is told beside the messages. */
export interface FilterContext {
  readonly runId: string
  /** A prompt, steering or a follow-up. */
  readonly kind: 'prompt' | 'steer' | 'followUp'
  /** Fires when the run no longer wants an answer, and after `limits.pluginTimeoutMs`. */
  readonly signal: AbortSignal
}
