import type { DecisionRecord } from '../../../core/domain/audit-entry.ts'
import type { Decision } from '../../../core/domain/decision.ts'
import type { DecisionOccasion } from '../../../core/domain/judge-decision.ts'
import { postAnswer } from '../../../core/domain/event-decision.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Lease, Store } from '../../../core/ports/store.ts'
import type { Postponement } from '../../../core/ports/work.ts'
import { encodeCommit } from '../../../core/stores/rows/encode-commit.ts'
import { commitApart } from '../../../core/stores/rows/files.ts'
import { refusedByRecords } from '../../../core/stores/rows/records-refused.ts'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import type { Watchers } from '../../../core/stores/rows/watchers.ts'
import { applyCommit, prepareCommit } from './commit.ts'
import { isLocked } from './error-codes.ts'
import { nextDue } from './find-work.ts'
import type { RunHeads } from './heads.ts'
import { createInbox } from './inbox.ts'
import { createLeases } from './leases.ts'
import { createListing, listRuns } from './list.ts'
import { createPostponed } from './postponed.ts'
import { createReading } from './reading.ts'
import { createRecords } from './records.ts'
import type { Session } from './session.ts'
import { createSuspended } from './suspended.ts'
import { createWork } from './work.ts'
import type { WriteQueue } from './write-queue.ts'

/** An open database with the layout of a store, and the state that its stores in this process share. */
export interface OpenDatabase {
  readonly session: Session
  readonly heads: RunHeads
  readonly queue: WriteQueue
  readonly watchers: Watchers
  /** Throws if the database was deleted or replaced. */
  readonly checkPlace: () => void
  /** Called once by each closed store; the last call closes the connection. */
  readonly leave: () => void
}

/** Returns a store in an open SQLite database. Any driver may have opened the database. */
export function sqlStore(
  { session, heads, queue, watchers, checkPlace, leave }: OpenDatabase,
  clock: Pick<Clock, 'now'>,
): Store {
  const reading = createReading(session)
  const kept = createRecords(session, { clock, watchers })
  const fetch = (runId: string) => reading.fetch(runId, true)
  const leases = createLeases(session, heads, { fetch, clock, records: kept })
  const inbox = createInbox(session, kept.write)
  const listed = createListing(session, reading.record)
  const suspended = createSuspended(session)
  const finding = createWork(session, heads, { fetch, clock })
  const postponed = createPostponed(session)
  const stops = new Set<() => void>()
  let isOpen = true

  function checkOpen(): void {
    if (!isOpen) throw storeClosed()
  }

  /** Changes one run, in one transaction with the other changes of the same tick. */
  async function inQueue<Result>(runId: string, work: () => Result): Promise<Result> {
    checkOpen()
    return queue.add(runId, work)
  }

  /** Does other work after all earlier changes of one run, or of all runs. */
  async function inTurn<Result>(runId: string | undefined, work: () => Result): Promise<Result> {
    return patiently(async () => {
      checkOpen()
      queue.flush(runId)
      return work()
    })
  }

  async function release(lease: Lease, postponement?: Postponement): Promise<void> {
    await patiently(() => inQueue(lease.runId, () => leases.release(lease, postponement)))
    if (postponement === undefined) watchers.notifyOfWork()
  }

  function watching(stop: () => void): () => void {
    stops.add(stop)
    return () => {
      stops.delete(stop)
      stop()
    }
  }

  const decide = (
    runId: string,
    decisions: readonly Decision[],
    occasion: DecisionOccasion,
    records?: readonly (DecisionRecord | undefined)[],
  ) =>
    inTurn(runId, () => {
      const { receipts, rows } = inbox.decide(runId, decisions, occasion, records)
      if (rows.length > 0) watchers.notify(runId)
      return receipts
    })

  return {
    create: async (run, owner, ttlMs, first) => {
      const create = leases.creation(run, owner, ttlMs, first)
      const lease = await patiently(() => inQueue(run.id, create))
      if (run.notBefore !== undefined) watchers.notifyOfWork()
      return lease
    },
    async claim(runId, owner, ttlMs, found) {
      const claim = () => session.look(() => leases.claim(runId, owner, ttlMs, found), runId)
      const lease = await patiently(() => inQueue(runId, claim))
      try {
        const run = await inTurn(runId, () => session.read(() => leases.readClaimed(runId), runId))
        return { ...(lease === undefined ? {} : { lease }), run: run.decode() }
      } catch (error) {
        // The caller needs the error of the damaged run; a lease that cannot be given back expires.
        if (lease !== undefined) await release(lease).catch(() => undefined)
        throw error
      }
    },
    renew: (lease, ttlMs) =>
      patiently(() =>
        inQueue(lease.runId, () => {
          checkPlace()
          leases.renew(lease, ttlMs)
        }),
      ),
    verify: checkPlace,
    release,
    delete: (what, found = []) => {
      const name = typeof what === 'string' ? what : (what.session ?? what.runs?.[0] ?? '')
      return patiently(() => inQueue(name, () => leases.delete(what, found)))
    },

    commit: async (commit) => {
      const encoded = encodeCommit(commit, commitApart())
      const prepared = prepareCommit(session, encoded)
      return inQueue(commit.runId, () => applyCommit(session, { heads, records: kept }, prepared)).catch(
        refusedByRecords,
      )
    },

    decide: (runId, decisions, now, records) => decide(runId, decisions, { now }, records),
    post: async (runId, item, now) => {
      if (item.kind === 'serviceAnswer')
        return postAnswer(runId, item, (given, service) => decide(runId, given, { now, service }))
      return inTurn(runId, () => {
        const receipt = inbox.post(runId, item, now)
        if (receipt.answer === 'applied') watchers.notify(runId)
        return receipt
      })
    },
    inbox: (runId, filter = {}) => inTurn(runId, () => inbox.rows(runId, filter)),
    watch(runId, changed) {
      checkOpen()
      return watching(runId === undefined ? watchers.addForAll(changed) : watchers.add(runId, changed))
    },

    read: (runId, isBare) => inTurn(runId, () => reading.read(runId, isBare)),
    record: (runId) =>
      inTurn(runId, () =>
        session.read(() => ({ ...reading.recordOf(runId), isDriven: leases.isDriven(runId) }), runId),
      ),
    input: (runId) => inTurn(runId, () => reading.input(runId)),
    calls: (runId, wanted) => inTurn(runId, () => reading.calls(runId, wanted)),
    entries: (runId, after, limit) => inTurn(runId, () => reading.entries(runId, after, limit)),
    list: (filter = {}) => listRuns(filter, (after, wanted) => inTurn(undefined, () => listed(filter, after, wanted))),
    suspended: (filter = {}) => inTurn(undefined, () => suspended(filter)),
    checkpoints: (runId) => inTurn(runId, () => reading.checkpoints(runId)),
    checkpoint: (runId, version) => inTurn(runId, () => reading.checkpoint(runId, version)),
    due: (now) => inTurn(undefined, () => reading.due(now)),

    claimNext: (query) => inTurn(undefined, () => finding.claimNext(query)),
    backlog: (query) => inTurn(undefined, () => finding.backlog(query)),
    nextDue: (agents) => inTurn(undefined, () => session.read(() => nextDue(session, agents))),
    postponed: (filter = {}) => inTurn(undefined, () => session.read(() => postponed.postponed(filter))),
    async retry(runId) {
      const isRetried = await patiently(() => inQueue(runId, () => postponed.retry(runId)))
      if (isRetried) watchers.notifyOfWork()
      return isRetried
    },

    records: (reads) => inTurn(undefined, () => kept.records(reads)),
    change: (change) => inTurn(undefined, () => kept.change(change)),

    async close() {
      if (!isOpen) return
      queue.flush()
      isOpen = false
      for (const stop of stops) stop()
      leave()
    },
  }
}

/** The milliseconds during which a locked store is tried again, without blocking this process. */
const patienceMs = 5000

/** Retries work that a lock prevented. A commit is not retried here, because its caller knows how long it may wait. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLocked(error) || performance.now() >= giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
