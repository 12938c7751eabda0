import type { Owner } from '../../domain/owner.ts'
import { checkOptions, having, optional, type OptionShape } from '../../domain/text/option-shape.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Commit,
  CommitReceipt,
  CommitRefused,
  FirstCommit,
  Lease,
  NewRun,
  QueuedStart,
  Store,
} from '../../ports/store.ts'
import { checkDecision } from '../../domain/check-decision.ts'
import type { DecisionRecord } from '../../domain/audit-entry.ts'
import type { Decision, DecisionReceipt } from '../../domain/decision.ts'
import type { DecisionOccasion } from '../../domain/judge-decision.ts'
import { postAnswer } from '../../domain/event-decision.ts'
import { aboutIn } from '../../domain/inbox.ts'
import { judgePost } from '../../domain/judge-post.ts'
import { decodeCheckpointInfo, decodeCalls, decodeCheckpointRun, decodeEmitting } from '../rows/decode-log.ts'
import { decodeDecision, decodeInbox, decodeInput, decodeRecord } from '../rows/decode-rows.ts'
import { type CommitKeeping, encodeCommit } from '../rows/encode-commit.ts'
import { encodePosted, encodeStart, rowOfDecision } from '../rows/encode-start.ts'
import { judgeDecisions } from '../../domain/judge-decisions.ts'
import { decisionWrites } from '../../domain/granted.ts'
import { refusedByRecords } from '../rows/records-refused.ts'
import type { KeptItem } from '../rows/stored-rows.ts'
import { keepCommitted, keepFrozen, type KeptJson } from '../rows/json-text.ts'
import { checkFree, driverOf, foundOf } from '../rows/lease-rules.ts'
import { applyCommit, freed, type MemoryRun, tailOf } from './commit.ts'
import { dueRuns, listRuns, listSuspended } from './list.ts'
import { checkpointUnknown, runExists, sessionIsRead, runUnknown, storeClosed } from '../rows/store-errors.ts'
import { callRowsOf, logBehind, type MemoryLog } from './memory-log.ts'
import {
  addPosted,
  callsOf,
  inheritedOf,
  newRun,
  storedRun,
  forgetRun,
  readersOf,
  runsTogether,
  successorOf,
} from './memory-run.ts'
import { MemoryRecords } from './memory-records.ts'
import { createWatchers } from '../rows/watchers.ts'
import { createLeases } from './leases.ts'
import { createWork } from './work.ts'

/** Options of a store in memory. */
export interface MemoryStoreOptions {
  /** The clock for the expiry of leases, for tests. Default: the computer's. */
  readonly clock?: Pick<Clock, 'now'>
}

const shape: OptionShape<MemoryStoreOptions> = { clock: optional(having('a clock', 'now')) }

/**
 * Returns a store that exists only in its process. All data that it stores or returns is frozen, and JSON text is made
 * when it is read.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions('memoryStore', options, shape)
  const { clock = Date } = options
  const runs = new Map<string, MemoryRun>()
  const watchers = createWatchers()
  const records = new MemoryRecords(opened, { clock, watchers })
  const applyRecords = records.apply.bind(records)
  let lastNumber = 0
  let lastInboxId = 0
  let isClosed = false

  function opened(): Map<string, MemoryRun> {
    if (isClosed) throw storeClosed()
    return runs
  }

  function runOf(runId: string): MemoryRun {
    const run = opened().get(runId)
    if (run === undefined) throw runUnknown(runId)
    return run
  }

  function logOf({ continues, forkedFrom }: NewRun): MemoryLog {
    if (continues === undefined) return { first: 1, rows: [], callsFrom: 1 }
    return logBehind(continues, forkedFrom !== undefined, runOf(continues.runId).log)
  }

  async function decide(
    runId: string,
    decisions: readonly Decision[],
    occasion: DecisionOccasion,
    given?: readonly (DecisionRecord | undefined)[],
  ): Promise<readonly DecisionReceipt[]> {
    const run = runOf(runId)
    const facts = {
      ...occasion,
      calls: callsOf(run),
      decisions: run.inbox.filter((row) => row.kind === 'decision').map((row) => decodeDecision(runId, row)),
      cancelled: run.inbox.flatMap(({ kind, callId, consumed }) =>
        kind === 'cancelCall' && consumed === null ? (callId ?? []) : [],
      ),
    }
    const { receipts, rows, records: made } = judgeDecisions(decisions.map(checkDecision), facts, given)
    records.write(decisionWrites(made, run.row.agent, occasion.now))
    for (const decision of rows) addPosted(run, ++lastInboxId, rowOfDecision(decision, keepFrozen))
    if (rows.length > 0) watchers.notify(runId)
    return receipts
  }

  return {
    ...createWork({ opened, runOf, watchers, clock }),
    ...createLeases({ opened, runOf, watchers, clock }),
    ...records.store(),
    async create(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit | QueuedStart): Promise<Lease> {
      if (opened().has(run.id)) throw runExists(run.id)
      const created = newRun(run, owner, clock.now() + ttlMs, { log: logOf(run), number: ++lastNumber })
      const posted = encodePosted(run.posted ?? [], keepItem)
      const start = first && encodeStart(run.id, first, owner, { keeping: () => inMemory, keepItem })
      const undo = applyRecords(run.records ?? [])
      try {
        if (start !== undefined) {
          const begun = start.commit(start.rows.map((row) => addPosted(created, ++lastInboxId, row)))
          applyCommit(created, begun, applyRecords)
        }
      } catch (error) {
        undo()
        throw error
      }
      for (const row of posted) addPosted(created, ++lastInboxId, row)
      if (run.notBefore !== undefined) created.lease = { ...freed(created.lease), expires: run.notBefore }
      runs.set(run.id, created)
      if (run.notBefore !== undefined) watchers.notifyOfWork()
      return { runId: run.id, owner: { ...owner }, fence: 1 }
    },

    async commit(commit: Commit): Promise<CommitReceipt | CommitRefused> {
      const run = runOf(commit.runId)
      try {
        return applyCommit(run, encodeCommit(commit, inMemory), applyRecords)
      } catch (error) {
        return refusedByRecords(error)
      }
    },

    decide: (runId, decisions, now, given) => decide(runId, decisions, { now }, given),

    async post(runId, item, now) {
      if (item.kind === 'serviceAnswer')
        return postAnswer(runId, item, (decisions, service) => decide(runId, decisions, { now, service }))
      const kept = keepItem(item, `The ${item.kind} item`)
      const callId = aboutIn(item)
      const run = runOf(runId)
      const receipt = judgePost(item, {
        runId,
        isDone: run.row.status === 'done',
        calls: () => callsOf(run),
        unconsumed: () => run.inbox.filter((row) => row.consumed === null),
        ofKind: () => run.inbox.filter(({ kind }) => kind === item.kind),
      })
      if (receipt.answer !== 'applied') return receipt
      addPosted(run, ++lastInboxId, { ...kept, kind: item.kind, callId, at: now })
      watchers.notify(runId)
      return receipt
    },

    async inbox(runId, { isOpen = false, after = 0, kinds, decisionId } = {}) {
      return runOf(runId)
        .inbox.filter((row) => row.id > after && !(isOpen && row.consumed !== null))
        .filter(({ kind }) => kinds === undefined || (kinds as readonly string[]).includes(kind))
        .filter((row) => decisionId === undefined || row.decisionId === decisionId)
        .map((row) => decodeInbox(runId, row))
    },

    watch(runId, changed) {
      opened()
      return runId === undefined ? watchers.addForAll(changed) : watchers.add(runId, changed)
    },

    async read(runId) {
      return storedRun(runOf(runId))
    },

    async record(runId) {
      const run = runOf(runId)
      return { ...decodeRecord(run.row, tailOf(run)), isDriven: driverOf(run.lease, clock.now()) !== undefined }
    },

    async input(runId) {
      return decodeInput(runOf(runId).row)
    },

    async calls(runId) {
      const { log } = runOf(runId)
      const last = log.rows.findLast((row) => row.kind === 'checkpoint')
      return decodeCalls(runId, callRowsOf(log), last?.version ?? 0)
    },

    async entries(runId, after, limit) {
      const { first, rows } = runOf(runId).log
      const start = Math.max(after + 1 - first, 0)
      return decodeEmitting(runId, rows.slice(start, start + limit))
    },

    async list(filter = {}) {
      return listRuns(opened().values(), filter)
    },

    async suspended(filter = {}) {
      return listSuspended(opened().values(), filter)
    },

    async checkpoints(runId) {
      return runOf(runId)
        .log.rows.filter((row) => row.kind === 'checkpoint')
        .map((row) => decodeCheckpointInfo(runId, row))
    },

    async checkpoint(runId, version) {
      const run = runOf(runId)
      const known = run.log.rows.filter((row) => row.kind === 'checkpoint')
      const at = known.find((row) => row.version === version)
      const versions = known.map((row) => row.version)
      if (at === undefined) throw checkpointUnknown(runId, version, versions)
      const rows = run.log.rows.slice(0, at.seq - run.log.first)
      return decodeCheckpointRun(decodeRecord(run.row, tailOf(run)), run.row, rows, at, inheritedOf(run))
    },

    async delete(what, found = []) {
      const now = clock.now()
      const gone = typeof what === 'string' ? [runOf(what)] : runsTogether(opened(), what)
      for (const { row, lease } of gone) checkFree(row.id, lease, now, foundOf(row.id, found))
      const left = [...runs.values()].filter((run) => !gone.includes(run))
      const readers = [...new Set(gone.flatMap((run) => readersOf(run, left)))].slice(0, 100)
      if (typeof what !== 'string') {
        const undo = applyRecords(what.records ?? [])
        if (readers.length > 0 && what.whereRead === 'refuse') {
          undo()
          throw sessionIsRead(what.session ?? '', readers)
        }
      }
      for (const run of gone) {
        records.forgetRun(run.row.id, () => successorOf(run, runs.values()))
        runs.delete(run.row.id)
        forgetRun(run, runs.values())
      }
      return { runs: gone.map(({ row }) => row.id), readers }
    },

    async due(now) {
      return dueRuns(opened().values(), now)
    },

    async close() {
      isClosed = true
      watchers.clear()
      runs.clear()
      records.clear()
    },
  }
}

/** Values in memory share their bytes. */
const inMemory: CommitKeeping = { keep: keepCommitted, files: [] }

function keepItem(item: unknown, what: string): KeptItem<KeptJson> {
  return { body: keepFrozen(item, what), files: [] }
}
