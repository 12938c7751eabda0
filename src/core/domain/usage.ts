/** Tokens of one or more model calls. `input` excludes cached tokens on every wire. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly totalTokens: number
}

/** The names of the counts. */
export const usageCounts = ['input', 'output', 'cacheRead', 'cacheWrite', 'totalTokens'] as const

/** The usage without any model call: zeros. */
export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

/** Returns the field-wise sum. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    totalTokens: left.totalTokens + right.totalTokens,
  }
}

/** Returns cacheRead / (input + cacheRead + cacheWrite), or 0 if nothing was read. */
export function cacheHitRate(usage: Usage): number {
  const read = usage.input + usage.cacheRead + usage.cacheWrite
  return read === 0 ? 0 : usage.cacheRead / read
}
