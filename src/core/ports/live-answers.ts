import type { MessageDelta } from '../domain/event.ts'
import type { Lease } from './stored-run.ts'

/** An answer that a model is giving, as far as it has come. */
export interface LiveAnswer {
  readonly turn: number
  /** What has come of it, the pieces of one block as one. */
  readonly deltas: readonly MessageDelta[]
}

/**
 * How a process that does not drive a run sees the answer that a model is giving. No commit holds any of it: what is lost
 * here is told again, or better, by the log.
 */
export interface LiveAnswers {
  /**
   * The answer under way that its driver has put, undefined where there is none. The question itself marks that somebody
   * reads, for 10 s by the store's clock.
   */
  live(runId: string): Promise<LiveAnswer | undefined>
  /**
   * Puts an answer in place of what was put before, where a mark stands and the lease is the run's; otherwise it writes
   * nothing. Gives whether a mark stands.
   */
  putLive(lease: Lease, answer: LiveAnswer): Promise<boolean>
  /** Takes away what was put under a lease, also one that was lost. */
  endLive(lease: Lease): Promise<void>
}
