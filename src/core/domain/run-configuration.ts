/** What a run was configured with when it started: its first model, and what that one is asked with. */
export interface RunConfiguration {
  readonly provider?: string
  readonly model?: string
  /** Name of the configuration, for people. */
  readonly configName?: string
  /** The wire that the model speaks, e.g. `anthropic-messages`. */
  readonly wire?: string
  /** Where the model is reached, without user info, query and fragment. */
  readonly baseUrl?: string
  readonly thinking?: string
  /** Tokens. */
  readonly contextWindow?: number
  /** Tokens of one answer. */
  readonly maxOutputTokens?: number
  readonly temperature?: number
}
