/** Options of a model's retries after a rate limit or a network failure. */
export interface RetryOptions {
  /** The maximum number of retries. Default 3; 0 turns retries off, and `Infinity` retries without end. */
  readonly maxRetries: number
  /** Milliseconds before the first retry; default 1,000. */
  readonly initialDelayMs: number
  /** The factor from one delay to the next; default 2. */
  readonly factor: number
  /** The maximum delay in milliseconds, including jitter; default 30,000. A server may ask for more. */
  readonly maxDelayMs: number
  /** Returns a number in [0, 1) for the jitter of ±20 %. */
  readonly random: () => number
}
