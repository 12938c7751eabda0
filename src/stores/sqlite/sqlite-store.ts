import type { Store } from '../../ports/store.ts'
import { encodeCommit } from '../rows/encode-commit.ts'
import { createCommitQueue } from './commit-queue.ts'
import { RunHeads } from './heads.ts'
import { createInbox } from './inbox.ts'
import { createLeases } from './leases.ts'
import { openDatabase } from './open.ts'
import { createReading } from './reading.ts'
import { createSession } from './session.ts'
import { createPollingWatchers } from './watch.ts'

const maxPollMs = 250

/** How to open a store. */
export interface SqliteStoreOptions {
  /** `full` waits for the disk in every commit; with `normal` a power cut may lose the last ones, whole. */
  readonly synchronous?: 'full' | 'normal'
  /** How often to look for what other processes posted, in milliseconds, at most 250. */
  readonly pollMs?: number
}

/**
 * A store in a file, made where there is none; several processes may open it at once. Throws a `StoreError` of code
 * `store_foreign` for a file that is not a store, and `store_unavailable` for one that cannot be opened.
 */
export function sqliteStore(path: string, { synchronous = 'full', pollMs = 200 }: SqliteStoreOptions = {}): Store {
  if (!(pollMs > 0 && pollMs <= maxPollMs)) {
    throw new RangeError(`pollMs is ${pollMs}; expected more than 0 and at most ${maxPollMs} milliseconds.`)
  }
  const session = createSession(openDatabase(path, synchronous), path)
  const heads = new RunHeads(session)
  const queue = createCommitQueue(session, heads)
  const watchers = createPollingWatchers(session, pollMs)
  const leases = createLeases(session, heads)
  const inbox = createInbox(session)
  const reading = createReading(session)

  /** Does something other than a commit, after the commits that were made before it. */
  async function inTurn<Result>(work: () => Result): Promise<Result> {
    queue.flush()
    return work()
  }

  return {
    create: (run, owner, ttlMs, first) => inTurn(() => leases.create(run, owner, ttlMs, first)),
    claim: (runId, owner, ttlMs, now) => inTurn(() => leases.claim(runId, owner, ttlMs, now)),
    renew: (lease, ttlMs, now) => inTurn(() => leases.renew(lease, ttlMs, now)),
    release: (lease) => inTurn(() => leases.release(lease)),
    delete: (runId, now) => inTurn(() => leases.delete(runId, now)),

    commit: async (commit) => queue.add(encodeCommit(commit)),

    decide: (runId, decisions, now) =>
      inTurn(() => {
        const { receipts, rows } = inbox.decide(runId, decisions, now)
        if (rows.length > 0) watchers.notify(runId)
        return receipts
      }),
    post: (runId, item, now) =>
      inTurn(() => {
        inbox.post(runId, item, now)
        watchers.notify(runId)
      }),
    inbox: (runId, after) => inTurn(() => inbox.rows(runId, after)),
    decision: (runId, decisionId) => inTurn(() => inbox.decision(runId, decisionId)),
    decisions: (runId) => inTurn(() => inbox.decisions(runId)),
    watch: (runId, changed) => watchers.add(runId, changed),

    read: (runId) => inTurn(() => reading.read(runId)),
    record: (runId) => inTurn(() => reading.record(runId)),
    calls: (runId) => inTurn(() => reading.calls(runId)),
    list: (filter) => inTurn(() => reading.list(filter)),
    checkpoints: (runId) => inTurn(() => reading.checkpoints(runId)),
    checkpoint: (runId, version) => inTurn(() => reading.checkpoint(runId, version)),
    due: (now) => inTurn(() => reading.due(now)),

    close: () =>
      inTurn(() => {
        watchers.clear()
        session.close()
      }),
  }
}
