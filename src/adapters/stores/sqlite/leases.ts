import type { Owner } from '../../../core/domain/owner.ts'
import type { FoundLease } from '../../../core/domain/store-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Postponement } from '../../../core/ports/work.ts'
import type { RunsToDelete } from '../../../core/ports/commit.ts'
import type { DeletedRuns, FirstCommit, Lease, NewRun, QueuedStart } from '../../../core/ports/store.ts'
import { type EncodedCommit, inputOf } from '../../../core/stores/rows/encode-commit.ts'
import { attempt } from '../../../core/domain/ignore-throws.ts'
import { encodePosted, encodeStart, foundBy } from '../../../core/stores/rows/encode-start.ts'
import { checkFree, checkHeld, driverOf, foundOf } from '../../../core/stores/rows/lease-rules.ts'
import { keepFiles } from './files.ts'
import { commitApart, itemApart } from '../../../core/stores/rows/files.ts'
import { applyCommit, prepareCommit, free, freeUntil, writeInput } from './commit.ts'
import { insertPosted } from './inbox.ts'
import { placeOfRun } from './log-rows.ts'
import { type Beginning, placeOf } from '../../../core/stores/rows/run-place.ts'
import { logSpan } from './schema.ts'
import { headRow, leaseRow, text } from '../../../core/stores/rows/columns.ts'
import type { RunHead, RunHeads } from './heads.ts'
import { postpone } from './postponed.ts'
import { type FetchedRun, selectStatus } from './reading.ts'
import type { SqliteRecords } from './records.ts'
import type { Session } from './session.ts'
import { inboxBefore, runExists, runUnknown, sessionIsRead } from '../../../core/stores/rows/store-errors.ts'
import type { LeaseRow } from '../../../core/stores/rows/stored-rows.ts'
import { beginningOf, forgetRows, keepReference } from './transcripts.ts'

const insertRun = `
  INSERT INTO runs (id, agent, agent_version, status, created_at, updated_at, version, owner, host, pid, pid_start, fence,
    lease_expires, forked_run, forked_version, transcript, first_seq, calls_from, continued_run,
    session, subject, labels, prompt)
  VALUES (?, ?, ?, 'running', ?, ?, 0, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`
const selectLease = 'SELECT status, fence, owner, host, pid, pid_start, lease_expires FROM runs WHERE id = ?'
const updateLease = `
  UPDATE runs SET fence = ?, owner = ?, host = ?, pid = ?, pid_start = ?, lease_expires = ? WHERE id = ?`
const releaseLease = `UPDATE runs SET ${free} WHERE id = ? AND fence = ? AND owner = ?`
const updateFree = `UPDATE runs SET ${freeUntil} WHERE id = ?`
const updateExpiry = 'UPDATE runs SET lease_expires = ? WHERE id = ?'
const selectRuns =
  'SELECT id FROM runs WHERE session = ? OR id IN (SELECT value FROM json_each(?)) ORDER BY number DESC'
const deletions = [
  'DELETE FROM inputs WHERE number = (SELECT number FROM runs WHERE id = ?)',
  'DELETE FROM inbox WHERE run_id = ?',
  'DELETE FROM timers WHERE run_id = ?',
  'DELETE FROM failures WHERE run_id = ?',
  'DELETE FROM runs WHERE id = ?',
]

interface LeaseParts {
  readonly fetch: (runId: string) => FetchedRun
  readonly clock: Pick<Clock, 'now'>
  readonly records: SqliteRecords
}

/** Returns the part of the store that manages the runs and their drivers. Call each function inside a transaction. */
export function createLeases(session: Session, heads: RunHeads, { fetch, clock, records }: LeaseParts) {
  const { sql } = session

  function leaseOf(runId: string): LeaseRow {
    const row = sql(selectLease).get(runId)
    if (row === undefined) throw runUnknown(runId)
    return leaseRow(runId, row)
  }

  function deleteRun(runId: string, found: readonly FoundLease[]): readonly string[] {
    heads.forget(runId)
    checkFree(runId, leaseOf(runId), clock.now(), foundOf(runId, found))
    const place = placeOfRun(session, runId)
    records.forgetRun(runId)
    for (const deletion of deletions) sql(deletion).run(runId)
    return forgetRows(session, runId, place)
  }

  /** No head is kept: it would outlive a transaction that fails to end. */
  function commitFirst(first: EncodedCommit): void {
    const { runId } = first
    const answer = applyCommit(session, { heads, records }, prepareCommit(session, first))
    heads.forget(runId)
    if ('refused' in answer) throw inboxBefore(runId)
  }

  return {
    creation(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit | QueuedStart): () => Lease {
      const { id, agent, agentVersion = null, at, forkedFrom, continues } = run
      const input = itemApart(run.input, inputOf(id))
      const holder = [owner.id, owner.host, owner.pid, owner.pidStart] as const
      const fork = [forkedFrom?.runId ?? null, forkedFrom?.version ?? null] as const
      const start = first && attempt(() => encodeStart(id, first, owner, { keeping: commitApart, keepItem: itemApart }))
      const posted = encodePosted(run.posted ?? [], itemApart)
      const found = foundBy(run)
      return () => {
        if (continues !== undefined && sql(selectStatus).get(id) !== undefined) throw runExists(id)
        const beginning = beginningOf(session, run)
        const { transcript, first: firstSeq, callsFrom } = beginning
        const place = [transcript, firstSeq, callsFrom, continues?.runId ?? null] as const
        const { changes, lastInsertRowid } = sql(insertRun).run(
          id,
          agent,
          agentVersion,
          at,
          at,
          ...holder,
          clock.now() + ttlMs,
          ...fork,
          ...place,
          ...found,
        )
        if (changes === 0) throw runExists(id)
        records.apply(run.records ?? [])
        keepReference(session, lastInsertRowid, beginning)
        sql(writeInput).run(lastInsertRowid, input.body)
        keepFiles(session, id, input.files)
        if (start !== undefined) {
          const { rows, commit } = start()
          commitFirst(commit(rows.map((row) => insertPosted(session, id, row))))
        } else heads.keep(id, newHead(Number(lastInsertRowid), beginning, owner))
        for (const row of posted) insertPosted(session, id, row)
        if (run.notBefore !== undefined) {
          sql(updateFree).run(run.notBefore, id)
          heads.forget(id)
        }
        return { runId: id, owner: { ...owner }, fence: 1 }
      }
    },

    /** Undefined if the run is done. Its log is read after this, while others may write. */
    claim(runId: string, owner: Owner, ttlMs: number, found?: FoundLease): Lease | undefined {
      heads.forget(runId)
      const row = sql(selectLease).get(runId)
      if (row === undefined) throw runUnknown(runId)
      if (row['status'] === 'done') return undefined
      const lease = leaseRow(runId, row)
      const now = clock.now()
      checkFree(runId, lease, now, found)
      const fence = lease.fence + 1
      sql(updateLease).run(fence, owner.id, owner.host, owner.pid, owner.pidStart, now + ttlMs, runId)
      return { runId, owner: { ...owner }, fence }
    },

    /** Reads a run that was just claimed, and keeps its head for the next commit. */
    readClaimed(runId: string): FetchedRun {
      heads.expire()
      const run = fetch(runId)
      heads.keep(runId, headOf(runId, run))
      return run
    },

    renew(lease: Lease, ttlMs: number): void {
      checkHeld(lease, leaseOf(lease.runId))
      sql(updateExpiry).run(clock.now() + ttlMs, lease.runId)
    },

    isDriven(runId: string): boolean {
      return driverOf(leaseOf(runId), clock.now()) !== undefined
    },

    release(lease: Lease, postponement?: Postponement): void {
      const { runId, fence, owner } = lease
      heads.forget(runId)
      if (postponement === undefined) sql(releaseLease).run(runId, fence, owner.id)
      else postpone(session, lease, postponement)
    },

    delete(what: string | RunsToDelete, found: readonly FoundLease[]): DeletedRuns {
      if (typeof what === 'string') return { runs: [what], readers: deleteRun(what, found) }
      const { session: id = '', runs: named = [], whereRead } = what
      records.apply(what.records ?? [])
      const runs = sql(selectRuns)
        .all(id, JSON.stringify(named))
        .map((row) => text(id, row, 'id'))
      // The newest first: what reads a run and is left then does not belong to the session.
      const readers = [...new Set(runs.flatMap((runId) => deleteRun(runId, found)))].slice(0, 100)
      if (readers.length > 0 && whereRead === 'refuse') throw sessionIsRead(id, readers)
      return { runs, readers }
    },
  }
}

function newHead(runNumber: number, { transcript, first }: Beginning, { id: owner }: Owner): RunHead {
  return {
    number: runNumber,
    base: (transcript ?? runNumber) * logSpan,
    first,
    fence: 1,
    owner,
    status: 'running',
    reason: null,
    code: null,
    error: null,
    version: 0,
    lastSeq: first - 1,
  }
}

function headOf(runId: string, { row, own }: FetchedRun): RunHead {
  const head = headRow(runId, row)
  const last = own.at(-1)
  const { number, transcript, first } = placeOf(runId, row)
  return {
    ...head,
    number,
    base: transcript * logSpan,
    first,
    version: Math.max(head.version, last?.version ?? 0),
    lastSeq: last?.seq ?? first - 1,
  }
}
