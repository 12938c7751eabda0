import type { ClaimedWork, Postponement } from '../ports/work.ts'

interface WorkFacts {
  /** Unix milliseconds. */
  readonly now: number
  readonly maxFailures: number
  /** True while this process drives another run that has failed more than once. */
  readonly isSuspectDriven: boolean
}

/** Returns the postponement of a claimed run. A run that may have killed its drivers rests, then is driven alone. */
export function judgeWork({ failures, wasHeld, run }: ClaimedWork, facts: WorkFacts): Postponement | undefined {
  if ('damaged' in run) return { failures, problem: run.damaged }
  if (wasHeld && failures > 1) {
    const problem = `Its driver died or hung ${failures} times in a row, without a commit in between.`
    return judgeFailure(failures, problem, facts)
  }
  if (!isSuspect({ failures }) || !facts.isSuspectDriven) return undefined
  const problem = `It has failed ${failures} times, and is driven beside no other run that has failed.`
  return { until: facts.now + firstPauseMs, failures, problem }
}

/** Returns the postponement of a run that failed this many times in a row. */
export function judgeFailure(
  failures: number,
  problem: string,
  { now, maxFailures }: Pick<WorkFacts, 'now' | 'maxFailures'>,
): Postponement {
  if (failures >= maxFailures) return { failures, problem }
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.max(failures - 2, 0), longestPauseMs)
  return { until: now + pauseMs, failures, problem }
}

/** Returns true if the run may be the cause of its drivers' deaths. */
export function isSuspect({ failures }: Pick<ClaimedWork, 'failures'>): boolean {
  return failures > 1
}

const firstPauseMs = 1000
const longestPauseMs = 300_000
