import type { FailedRow } from './stored-rows.ts'

/** The due time of a run that waits for `retry`: later than any other time. */
export const untilRetry = 8_640_000_000_000_000

/** Returns the number of failures since the given version. */
export function failuresOf(failed: FailedRow | undefined, version: number): number {
  return failed?.version === version ? failed.failures : 0
}
