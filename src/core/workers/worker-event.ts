import type { RunStatus } from '../domain/outcome.ts'

/** What a worker has done since it began, and how many runs it drives now. */
export interface WorkerCounts {
  readonly driving: number
  readonly claimed: number
  readonly released: number
  readonly failed: number
  /** Runs that were left to others. */
  readonly left: number
}

/** What a worker tells of its work. Each event has the counts as they are with it. */
export type WorkerEvent = WorkerEventBody & { readonly counts: WorkerCounts }

/** An event before it is counted. */
export type WorkerEventBody =
  /** `failures` drives of the run have failed since its last commit. */
  | { readonly type: 'claimed'; readonly runId: string; readonly agent: string; readonly failures: number }
  /** `running`: it was given back before it came to rest. */
  | { readonly type: 'released'; readonly runId: string; readonly agent: string; readonly status: RunStatus }
  /**
   * A run could not be driven. Workers leave it alone until `until`, in Unix milliseconds, or until somebody retries it
   * where it is `aside`; neither where it is another's by now.
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
  /** This process cannot drive a run, or any of an agent, and leaves it to others. */
  | { readonly type: 'left'; readonly agent: string; readonly runId?: string; readonly problem: string }
  /** The store could not be asked; the worker asks again. */
  | { readonly type: 'unreachable'; readonly problem: string }
  /** It drives nothing and has found nothing to do. */
  | { readonly type: 'idle' }
