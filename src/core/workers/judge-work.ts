import type { ClaimedWork, Postponement } from '../ports/work.ts'

/** What is known when somebody decides whether to drive a run that was claimed. */
export interface WorkFacts {
  /** Unix milliseconds. */
  readonly now: number
  readonly maxFailures: number
  /** True while another run that has failed more than once is driven here. */
  readonly isSuspectDriven: boolean
}

/**
 * What becomes of a run that was claimed: undefined where it is to be driven now. A run whose drivers died more than once
 * without a commit between may be what ends them: it rests for a while first, and is driven beside no other such run, so
 * that of those that die with it none is taken for the cause.
 */
export function judgeWork({ failures, wasHeld, run }: ClaimedWork, facts: WorkFacts): Postponement | undefined {
  if ('damaged' in run) return { failures, problem: run.damaged }
  if (wasHeld && failures > 1) {
    const problem = `Its driver died or hung ${failures} times in a row, without a commit between.`
    return judgeFailure(failures, problem, facts)
  }
  if (!isSuspect({ failures }) || !facts.isSuspectDriven) return undefined
  const problem = `It has failed ${failures} times, and is driven beside no other run that has failed.`
  return { until: facts.now + firstPauseMs, failures, problem }
}

/** Until when a run is left alone whose drive has failed so often in a row. */
export function judgeFailure(
  failures: number,
  problem: string,
  { now, maxFailures }: Pick<WorkFacts, 'now' | 'maxFailures'>,
): Postponement {
  if (failures >= maxFailures) return { failures, problem }
  const pauseMs = Math.min(firstPauseMs * 2 ** Math.max(failures - 2, 0), longestPauseMs)
  return { until: now + pauseMs, failures, problem }
}

/** True for a run that may be what ends its drivers. */
export function isSuspect({ failures }: Pick<ClaimedWork, 'failures'>): boolean {
  return failures > 1
}

const firstPauseMs = 1000
const longestPauseMs = 300_000
