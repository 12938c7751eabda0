import type { RunStatus } from '../domain/outcome.ts'

/** A worker's counts since its start, and the number of runs that it drives now. */
export interface WorkerCounts {
  readonly driving: number
  readonly claimed: number
  readonly released: number
  readonly failed: number
  /** The number of runs left to other processes. */
  readonly left: number
}

/** An event of a worker, with its counts after the event. */
export type WorkerEvent = WorkerEventBody & { readonly counts: WorkerCounts }

/** An event before the counts are added. */
export type WorkerEventBody =
  /** `failures` is the number of failed drives since the run's last commit. */
  | { readonly type: 'claimed'; readonly runId: string; readonly agent: string; readonly failures: number }
  /** `running`: the lease was released before the run rested. */
  | { readonly type: 'released'; readonly runId: string; readonly agent: string; readonly status: RunStatus }
  /**
   * A run could not be driven. Workers skip it until `until`, in Unix milliseconds, or, with `aside`, until somebody
   * retries it. Both are absent if another process drives the run.
   */
  | {
      readonly type: 'failed'
      readonly runId: string
      readonly agent: string
      readonly problem: string
      readonly failures: number
      readonly until?: number
      readonly aside?: true
    }
  /** This process cannot drive a run, or any run of an agent, and leaves it to other processes. */
  | { readonly type: 'left'; readonly agent: string; readonly runId?: string; readonly problem: string }
  /** The store was unavailable; the worker tries again. */
  | { readonly type: 'unreachable'; readonly problem: string }
  /** The worker drives nothing and has found no work. */
  | { readonly type: 'idle' }
