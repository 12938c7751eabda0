/** When, and how often, a model is asked again after a rate limit or a failure of the network. */
export interface RetryOptions {
  /** Default 3; 0 turns retries off, `Infinity` never gives up. */
  readonly maxRetries: number
  /** Milliseconds before the first retry; default 1,000. */
  readonly initialDelayMs: number
  /** Default 2. */
  readonly factor: number
  /** Milliseconds, jitter included; default 30,000. A server may ask for more. */
  readonly maxDelayMs: number
  /** A number in [0, 1) for the jitter of ±20 %. */
  readonly random: () => number
}
