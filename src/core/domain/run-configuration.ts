/** The configuration of a run at its start: its first model and that model's settings. */
export interface RunConfiguration {
  readonly provider?: string
  readonly model?: string
  /** A readable name of the configuration. */
  readonly configName?: string
  /** The wire of the model, e.g. `anthropic-messages`. */
  readonly wire?: string
  /** The model's address, without user info, query and fragment. */
  readonly baseUrl?: string
  readonly thinking?: string
  /** Tokens. */
  readonly contextWindow?: number
  /** Tokens of one answer. */
  readonly maxOutputTokens?: number
  readonly temperature?: number
}
