import type { PostponedRun } from '../../ports/work.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from './columns.ts'
import type { FailedRow } from './stored-rows.ts'

/** The due time of a run that waits for `retry`, which is later than any other time. */
export const untilRetry = 8_640_000_000_000_000

/** Returns the number of failures since the given version. */
export function failuresOf(failed: FailedRow | undefined, version: number): number {
  return failed?.version === version ? failed.failures : 0
}

/** Returns the number of consecutive failures of a run, or undefined for a run without failures. */
export function failedIn(runId: string, row: SqlRow): FailedRow | undefined {
  const version = optionalNumber(runId, row, 'failed_version')
  if (version === null) return undefined
  const failures = optionalNumber(runId, row, 'failures') ?? 0
  return { version, failures, problem: optionalText(runId, row, 'problem') }
}

/** Returns a run that is kept from workers. */
export function postponedRun(row: SqlRow): PostponedRun {
  const runId = text('', row, 'id')
  const until = number(runId, row, 'lease_expires')
  const failed = failedIn(runId, row)
  const problem = failed?.problem ?? undefined
  return {
    runId,
    agent: text(runId, row, 'agent'),
    failures: failuresOf(failed, number(runId, row, 'version')),
    ...(until === untilRetry ? {} : { until }),
    ...(problem === undefined ? {} : { problem }),
  }
}
