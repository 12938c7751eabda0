import type { CommitReceipt, CommitRefused } from '../../ports/store.ts'
import type { EncodedCommit } from '../rows/encode-commit.ts'
import { isDamage } from './errors.ts'
import { applyCommit } from './commit.ts'
import type { RunHeads } from './heads.ts'
import type { Session } from './session.ts'

/** Commits made in one tick, which share one transaction and so one wait for the disk. */
export interface CommitQueue {
  add(commit: EncodedCommit): Promise<CommitReceipt | CommitRefused>
  /** Writes what is queued now, so that a read or write that follows finds it. */
  flush(): void
}

/** An empty queue over a session. */
export function createCommitQueue(session: Session, heads: RunHeads): CommitQueue {
  let queue: QueuedCommit[] = []

  function flush(): void {
    const batch = queue
    queue = []
    if (batch.length > 0) write(batch)
  }

  function write(batch: readonly QueuedCommit[]): void {
    try {
      for (const settle of session.write(() => applyBatch(session, heads, batch))) settle()
    } catch (error) {
      heads.forgetAll()
      // A page of one run that cannot be read undoes the whole transaction: the other runs must not suffer for it.
      if (batch.length > 1 && isDamage(error)) for (const queued of batch) write([queued])
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (commit) =>
      new Promise((resolve, reject) => {
        queue.push({ commit, resolve, reject })
        if (queue.length === 1) queueMicrotask(flush)
      }),
    flush,
  }
}

interface QueuedCommit {
  readonly commit: EncodedCommit
  readonly resolve: (answer: CommitReceipt | CommitRefused) => void
  readonly reject: (error: unknown) => void
}

/** Applies each commit for itself and answers how to settle its promise once the transaction is on disk. */
function applyBatch(session: Session, heads: RunHeads, batch: readonly QueuedCommit[]): readonly (() => void)[] {
  heads.refresh()
  const [only, ...others] = batch
  if (only !== undefined && others.length === 0) {
    const answer = applyCommit(session, heads, only.commit)
    return [() => only.resolve(answer)]
  }
  return batch.map((queued) => applyAlone(session, heads, queued))
}

function applyAlone(session: Session, heads: RunHeads, { commit, resolve, reject }: QueuedCommit): () => void {
  session.sql('SAVEPOINT one').run()
  try {
    const answer = applyCommit(session, heads, commit)
    session.sql('RELEASE one').run()
    return () => resolve(answer)
  } catch (error) {
    heads.forget(commit.runId)
    // Fails where SQLite has ended the whole transaction, and then fails the whole batch.
    session.sql('ROLLBACK TO one').run()
    session.sql('RELEASE one').run()
    return () => reject(session.errorOf(error))
  }
}
