import type { PostAnswer, PostedItem } from '../../core/domain/inbox.ts'
import type { LogEntry } from '../../core/domain/log.ts'
import type { FirstCommit, Lease, NewRun, Store } from '../../core/ports/store.ts'
import { changedStart } from './changed-start.ts'
import type { MortalProcess } from './mortal-process.ts'

/** An observer of the stored changes of all its processes. */
export interface StoreObserver {
  /** Called before each commit; if it throws, the commit is rejected and does not count as a write. */
  committing?(): void
  /** Called after a commit, and after a run was created with its first commit. */
  committed(commit: FirstCommit, runId: string): void
  /** Called after a run was created that continues this log of other runs. */
  begun?(log: readonly LogEntry[], runId: string): void
  /** Called after a lease was taken by creating or claiming a run. */
  leased?(runId: string): void
  released?(runId: string): void
  /** Called after the store has answered an item for a run. */
  posted?(runId: string, item: PostedItem, answer: PostAnswer): void
}

/** Returns the store of one process. The process remembers its lease, and the observer receives the stored changes. */
export function mortalStore(store: Store, mortal: MortalProcess, observer?: StoreObserver): Store {
  const read = mortal.read.bind(mortal)
  const write = mortal.write.bind(mortal)
  const take = (lease: Lease) => {
    mortal.lease = lease
    observer?.leased?.(lease.runId)
  }
  const begunWith = async ({ id, continues }: NewRun): Promise<readonly LogEntry[]> => {
    if (continues === undefined || observer?.begun === undefined) return []
    const stored = await store.read(id)
    return stored.log.filter(({ seq }) => seq <= (stored.continues?.seq ?? 0))
  }
  return {
    entries: (...given) => read(() => store.entries(...given)),
    input: (...given) => read(() => store.input(...given)),
    claimNext: (...given) => write(() => store.claimNext(...given)),
    retry: (...given) => write(() => store.retry(...given)),
    backlog: (...given) => read(() => store.backlog(...given)),
    nextDue: (...given) => read(() => store.nextDue(...given)),
    postponed: (...given) => read(() => store.postponed(...given)),
    records: (...given) => read(() => store.records(...given)),
    change: (change) => write(() => store.change(change)),
    create: async (run, owner, ttlMs, first) => {
      const made: FirstCommit[] = []
      const start = changedStart(first, (commit) => {
        made.push(commit)
        return commit
      })
      const { lease } = await write(
        async () => ({ lease: await store.create(run, owner, ttlMs, start), log: await begunWith(run) }),
        (created) => {
          take(created.lease)
          if (created.log.length > 0) observer?.begun?.(created.log, run.id)
          for (const commit of made.slice(-1)) observer?.committed(commit, run.id)
        },
      )
      return lease
    },
    claim: (...given) =>
      write(
        () => store.claim(...given),
        ({ lease }) => lease && take(lease),
      ),
    release: (...given) =>
      write(
        () => store.release(...given),
        () => observer?.released?.(given[0].runId),
      ),
    renew: (...given) => read(() => store.renew(...given)),
    commit: async (commit) => {
      observer?.committing?.()
      return write(
        () => store.commit(commit),
        (receipt) => {
          if ('refused' in receipt) return
          observer?.committed(commit, commit.runId)
          if (receipt.released === true) observer?.released?.(commit.runId)
        },
      )
    },
    decide: (...given) => write(() => store.decide(...given)),
    post: (runId, item, at) =>
      write(
        () => store.post(runId, item, at),
        ({ answer }) => observer?.posted?.(runId, item, answer),
      ),
    delete: (...given) => write(() => store.delete(...given)),
    suspended: (...given) => read(() => store.suspended(...given)),
    inbox: (...given) => read(() => store.inbox(...given)),
    watch: (runId, changed) => store.watch(runId, () => mortal.isDead || changed()),
    read: (...given) => read(() => store.read(...given)),
    record: (...given) => read(() => store.record(...given)),
    calls: (...given) => read(() => store.calls(...given)),
    list: (...given) => read(() => store.list(...given)),
    checkpoints: (...given) => read(() => store.checkpoints(...given)),
    checkpoint: (...given) => read(() => store.checkpoint(...given)),
    due: (...given) => read(() => store.due(...given)),
    close: () => store.close(),
  }
}
