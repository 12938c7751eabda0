import { isInherited } from '../rows/decode-log.ts'
import type { MemoryRun } from './commit.ts'
import { forgetRows, readTo } from './memory-log.ts'

/** Those of some runs that read something which a run wrote. */
export function readersOf({ log }: MemoryRun, others: Iterable<MemoryRun>): readonly string[] {
  const first = log.rows.find(isInherited)
  if (first === undefined) return []
  return [...others].flatMap((run) => (readTo(run.log, log) < first.seq ? [] : run.row.id))
}

/** Lets go of what none of the runs that are left reads of a run's log. */
export function forgetRun({ log }: MemoryRun, others: Iterable<MemoryRun>): void {
  let last = 0
  for (const run of others) last = Math.max(last, readTo(run.log, log))
  forgetRows(log, last)
}
