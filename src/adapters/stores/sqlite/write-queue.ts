import { isDamage } from './error-codes.ts'
import type { RunHeads } from './heads.ts'
import type { Session } from './session.ts'

/** The writes requested in one tick. They share one transaction, and so one wait for the disk. */
export interface WriteQueue {
  /** Does the work, which changes only one run, in a transaction. If it throws, only this work is undone. */
  add<Answer>(runId: string, work: () => Answer): Promise<Answer>
  /** Writes everything that is queued now, so that a read or write that follows finds it; of one run, only if it waits. */
  flush(runId?: string): void
}

/** Creates an empty queue over a session. */
export function createWriteQueue(session: Session, heads: RunHeads): WriteQueue {
  let queue: QueuedWrite[] = []

  function flush(runId?: string): void {
    if (runId !== undefined && !queue.some((queued) => queued.runId === runId)) return
    const batch = queue
    queue = []
    if (batch.length > 0) write(batch)
  }

  function write(batch: readonly QueuedWrite[]): void {
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
    add: (runId, work) =>
      new Promise((resolve, reject) => {
        const apply = () => {
          const answer = work()
          return () => resolve(answer)
        }
        queue.push({ runId, apply, reject })
        if (queue.length === 1) queueMicrotask(() => flush())
      }),
    flush,
  }
}

interface QueuedWrite {
  readonly runId: string
  /** Writes, and answers how to settle the promise once the transaction is on disk. */
  readonly apply: () => () => void
  readonly reject: (error: unknown) => void
}

function applyBatch(session: Session, heads: RunHeads, batch: readonly QueuedWrite[]): readonly (() => void)[] {
  heads.expire()
  const [only, ...others] = batch
  if (only !== undefined && others.length === 0) return [only.apply()]
  return batch.map((queued) => applyAlone(session, heads, queued))
}

function applyAlone(session: Session, heads: RunHeads, { runId, apply, reject }: QueuedWrite): () => void {
  const outcome = session.alone(apply)
  if ('value' in outcome) return outcome.value
  heads.forget(runId)
  return () => reject(session.errorOf(outcome.error))
}
