import { isInherited } from '../rows/decode-log.ts'
import type { MemoryRun } from './commit.ts'
import { firstOf, forgetRows, readTo } from './memory-log.ts'

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

/** Returns the runs of a session, the newest first. */
export function runsOfSession(runs: ReadonlyMap<string, MemoryRun>, id: string): readonly MemoryRun[] {
  const own = [...runs.values()].filter(({ row }) => row.session === id)
  return own.sort((left, right) => right.number - left.number)
}

/** The newest other run of a run's session that began with the same transcript; undefined if the run went on from none. */
export function successorOf({ row, log }: MemoryRun, runs: Iterable<MemoryRun>): string | undefined {
  if (row.session === null || row.continuedRun === null) return undefined
  const begun = firstOf(log)
  const others = [...runs].filter((other) => other.row.session === row.session && other.row.id !== row.id)
  const newest = others.toSorted((one, other) => other.row.createdAt - one.row.createdAt || other.number - one.number)
  return newest.find((other) => firstOf(other.log) === begun)?.row.id
}
