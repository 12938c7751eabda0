/**
 * The answer of a plugin's input filter (requirement PH-03). Undefined accepts the message, `warn` adds a warning for
 * the model, and `reject` rejects the message.
 */
export type FilterAnswer = { readonly warn: string } | { readonly reject: string } | undefined | void

/** The context of a filter, besides the messages. */
export interface FilterContext {
  readonly runId: string
  /** A prompt, steering or a follow-up. */
  readonly kind: 'prompt' | 'steer' | 'followUp'
  /** Fires when the run no longer needs an answer, and after `limits.pluginTimeoutMs`. */
  readonly signal: AbortSignal
}
