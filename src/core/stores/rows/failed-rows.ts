import type { FailedRow } from './stored-rows.ts'

/** When a run that waits for `retry` may be claimed: later than any time there is. */
export const untilRetry = 8_640_000_000_000_000

/** How often a run of this version has failed; what an earlier version did is over. */
export function failuresOf(failed: FailedRow | undefined, version: number): number {
  return failed?.version === version ? failed.failures : 0
}
