/**
 * Milliseconds a server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
 * `now` is in unix milliseconds; a date in the past is 0; anything unreadable is undefined.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = amountIn(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return Math.round(milliseconds)
  const value = headers.get('retry-after')
  const seconds = amountIn(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = value === null ? Number.NaN : Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function amountIn(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}
