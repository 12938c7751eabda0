import type { AgentEventBody } from '../domain/event.ts'
import { StoreError } from '../domain/store-error.ts'
import { waitUntil } from '../ports/clock.ts'
import type { Commit, CommitReceipt, CommitRefused } from '../ports/store.ts'
import type { DriveOptions } from './drive-options.ts'
import type { HeldLease } from './held-lease.ts'

/** The dependencies of a commit's write. */
export interface WriteOptions extends Pick<DriveOptions, 'store' | 'clock'> {
  readonly emit: (event: AgentEventBody) => void
  readonly heldLease: HeldLease
  /** False if the drive has lost its lease or was detached: it waits no longer. */
  readonly mayWait: () => boolean
  /** Ends a wait at once. */
  readonly signal: AbortSignal
}

/**
 * Writes a commit. A locked or full store may accept it later, so it is retried until the lease would end, and nothing
 * that was paid for is lost. A drive that is detached meanwhile tries only once more.
 */
export async function writeCommit(commit: Commit, options: WriteOptions): Promise<CommitReceipt | CommitRefused> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await options.store.commit(commit)
    } catch (error) {
      if (!(await hasWaited(commit.runId, error, attempt, options))) throw error
    }
  }
}

async function hasWaited(
  runId: string,
  error: unknown,
  attempt: number,
  { clock, emit, heldLease, mayWait, signal }: WriteOptions,
): Promise<boolean> {
  if (!(error instanceof StoreError) || error.code !== 'store_busy' || !mayWait()) return false
  const waitMs = Math.min(10 * 2 ** attempt, 1000)
  if (heldLease.remainingMs <= waitMs) return false
  const at = clock.now()
  if (attempt === 0) emit({ type: 'commit.delayed', runId, at, message: error.message })
  await waitUntil(at + waitMs, clock, signal)
  return true
}
