import type { RetryOptions } from '../ports/retry-options.ts'

/**
 * Returns the milliseconds to wait after this many failures: a growing time with a jitter of ±20 %, at most the longest
 * wait.
 */
export function backoffMs(
  failures: number,
  { initialDelayMs, factor, maxDelayMs, random }: Omit<RetryOptions, 'maxRetries'>,
): number {
  const growth = Math.min(factor ** failures, Number.MAX_VALUE)
  const backoff = Math.min(initialDelayMs * growth, maxDelayMs)
  return Math.round(Math.min(backoff * (0.8 + 0.4 * random()), maxDelayMs))
}
