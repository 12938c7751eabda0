import { attempt } from '../../../core/domain/ignore-throws.ts'
import type { Owner } from '../../../core/domain/owner.ts'
import type { FoundLease } from '../../../core/domain/store-error.ts'
import type { RunsToDelete } from '../../../core/ports/commit.ts'
import type { ClaimedRun, DeletedRuns, FirstCommit, Lease, NewRun, QueuedStart } from '../../../core/ports/store.ts'
import { leaseRow, number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { inputOf } from '../../../core/stores/rows/encode-commit.ts'
import { encodePosted, type EncodedStart, encodeStart, foundBy } from '../../../core/stores/rows/encode-start.ts'
import { commitApart, itemApart } from '../../../core/stores/rows/files.ts'
import { checkFree, checkHeld, driverOf, foundOf } from '../../../core/stores/rows/lease-rules.ts'
import { type Beginning, placeColumns, placeOf } from '../../../core/stores/rows/run-place.ts'
import { inboxBefore, runExists, runUnknown, sessionIsRead } from '../../../core/stores/rows/store-errors.ts'
import { checkKeys } from './safe-text.ts'
import { applyLocked } from './commit.ts'
import { keepFiles } from './files.ts'
import { type InboxNotices, type InboxRun, insertPosted } from './inbox.ts'
import { workNotice } from './listener.ts'
import { timeOr } from './lease-time.ts'
import type { PostgresRecords } from './records.ts'
import { fetchChanged, fetchRun, recordColumns, recordIn } from './reading.ts'
import { free } from './schema.ts'
import type { Session, Sql } from './session.ts'
import { beginningOf, forgetRows, lockTranscripts } from './transcripts.ts'

const insertRun = `
  WITH run AS (
    INSERT INTO @.runs (id, agent, status, created_at, updated_at, version, written_seq, owner, host, pid, pid_start, fence,
      lease_expires, forked_run, forked_version, transcript, first_seq, calls_from, continued_run, created_by, session, subject,
      labels, prompt, agent_version)
    VALUES ($1, $2, 'running', $3, $3, 0, $4::int - 1, $5, $6, $7, $8, 1, ${timeOr('$9')} + $10::float8, $11, $12, $13, $4, $14,
      $15, $5, $19, $20, $21, $22, $23)
    ON CONFLICT (id) DO NOTHING RETURNING number
  ), input AS (
    INSERT INTO @.inputs (number, body) SELECT number, $16 FROM run
  ), behind AS (
    INSERT INTO @.transcripts (number, parent, at_seq) SELECT number, $17::bigint, $18::int FROM run WHERE $17::bigint IS NOT NULL
  )
  SELECT number FROM run`
const lease = `fence, owner, host, pid, pid_start, lease_expires, status, created_by`
const selectLease = `SELECT ${lease}, ${timeOr('$2')} AS at FROM @.runs WHERE id = $1`
const selectRecord = `SELECT ${recordColumns}, owner, host, pid, pid_start, fence, lease_expires, ${timeOr('$2')} AS at FROM @.runs WHERE id = $1`
const lockLease = `${selectLease} FOR UPDATE`
const lockPlace = `SELECT ${placeColumns}, ${lease}, ${timeOr('$2')} AS at FROM @.runs WHERE id = $1 FOR UPDATE`
const updateLease = `
  UPDATE @.runs SET fence = $2, owner = $3, host = $4, pid = $5, pid_start = $6, lease_expires = ${timeOr('$7')} + $8::float8
  WHERE id = $1`
const renewLease = `
  UPDATE @.runs SET lease_expires = ${timeOr('$4')} + $5::float8 WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING number`
const freeUntil = `
  WITH freed AS (UPDATE @.runs SET ${free.replace('lease_expires = 0', 'lease_expires = $2')} WHERE number = $1)
  SELECT pg_notify($3, $4)`
const releaseLease = `
  WITH freed AS (UPDATE @.runs SET ${free} WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING status)
  SELECT pg_notify($4, $5) FROM freed WHERE status <> 'done'`
const selectRuns = 'SELECT id FROM @.runs WHERE id = ANY ($1::text[])'
const lockRuns = 'SELECT id FROM @.runs WHERE session = $1 OR id = ANY ($2::text[]) ORDER BY number DESC FOR UPDATE'
const deleteRun = `
  WITH run AS (DELETE FROM @.runs WHERE number = $1), input AS (DELETE FROM @.inputs WHERE number = $1)
  DELETE FROM @.inbox WHERE run = $1`

interface LeaseOptions extends InboxNotices {
  readonly lock: string
  /** The time for the expiry of leases; undefined for the server's. */
  readonly now: () => number | undefined
  readonly records: PostgresRecords
}

/** Returns the part of the store that manages the runs and their drivers. */
export function createLeases(
  { look, write, statement }: Session,
  { lock, now, channel, sender, records }: LeaseOptions,
) {
  const time = () => now() ?? null

  async function found(sql: Sql, select: string, runId: string): Promise<SqlRow> {
    const [row] = await sql(select, runId, time())
    if (row === undefined) throw runUnknown(runId)
    return row
  }

  async function deleteLocked(sql: Sql, runId: string, earlier: readonly FoundLease[]): Promise<readonly string[]> {
    const row = await found(sql, lockPlace, runId)
    checkFree(runId, leaseRow(runId, row), number(runId, row, 'at'), foundOf(runId, earlier))
    const place = placeOf(runId, row)
    await records.forgetRun(sql, runId)
    await sql(deleteRun, place.number)
    return forgetRows(sql, place)
  }

  /** Locks the runs before the records, in the order of every commit. */
  async function deleteRuns(
    sql: Sql,
    { session = '', runs: named = [], whereRead, records: changes = [] }: RunsToDelete,
    earlier: readonly FoundLease[],
  ): Promise<DeletedRuns> {
    const runsOf = async () => (await sql(lockRuns, session, named)).map((row) => text(session, row, 'id'))
    await runsOf()
    await records.apply(sql, changes)
    // A run that was begun meanwhile is there now.
    const runs = await runsOf()
    const left = new Set<string>()
    // The newest first: what reads a run and is left then does not belong to the session.
    for (const runId of runs) for (const reader of await deleteLocked(sql, runId, earlier)) left.add(reader)
    const readers = [...left].slice(0, 100)
    if (readers.length > 0 && whereRead === 'refuse') throw sessionIsRead(session, readers)
    return { runs, readers }
  }

  async function areGone(sql: Sql, runs: readonly string[]): Promise<boolean> {
    return (await sql(selectRuns, runs)).length === 0
  }

  return {
    async create(run: NewRun, owner: Owner, ttlMs: number, first?: FirstCommit | QueuedStart): Promise<Lease> {
      const { id, notBefore } = run
      checkKeys(run)
      const { body: input, files } = itemApart(run.input, inputOf(id))
      const start = first && attempt(() => encodeStart(id, first, owner, { keeping: commitApart, keepItem: itemApart }))
      const posted = encodePosted(run.posted ?? [], itemApart)
      const made = { runId: id, owner: { ...owner }, fence: 1 }
      return write(async (sql, isRepeat) => {
        const [there] = isRepeat ? await sql(selectLease, id, time()) : []
        if (there?.['created_by'] === owner.id) return made
        const beginning = await beginningOf(sql, run, lock)
        const [row] = await sql(insertRun, ...valuesOf({ run, owner, ttlMs, beginning, input, now: time() }))
        if (row === undefined) throw runExists(id)
        const place = number(id, row, 'number')
        await keepFiles(sql, id, files)
        await records.apply(sql, run.records ?? [])
        if (start !== undefined) await commitFirst(sql, records, { runId: id, number: place }, start())
        await insertPosted(sql, { runId: id, number: place }, posted)
        if (notBefore !== undefined) await sql(freeUntil, place, notBefore, channel, workNotice(sender))
        return made
      })
    },

    async claim(runId: string, owner: Owner, ttlMs: number, earlier?: FoundLease): Promise<ClaimedRun> {
      return write(async (sql, isRepeat) => {
        const row = await found(sql, lockLease, runId)
        const isDone = text(runId, row, 'status') === 'done'
        const held = leaseRow(runId, row)
        // A claim of ours whose commit was lost sight of is no other driver's.
        if (!isDone && !(isRepeat && held.owner === owner.id)) checkFree(runId, held, number(runId, row, 'at'), earlier)
        // An unreadable run is not claimed: the error undoes it.
        if (isDone) return { run: await fetchRun(sql, runId, { isBare: true }) }
        const fence = held.fence + 1
        const { id, host, pid, pidStart } = owner
        const run = await fetchChanged(sql, updateLease, runId, fence, id, host, pid, pidStart, time(), ttlMs)
        return { lease: { runId, owner: { ...owner }, fence }, run }
      })
    },

    async renew(held: Lease, ttlMs: number): Promise<void> {
      const { runId, fence, owner } = held
      await statement(async (sql) => {
        const renewed = await sql(renewLease, runId, fence, owner.id, time(), ttlMs)
        if (renewed.length === 0) checkHeld(held, leaseRow(runId, await found(sql, selectLease, runId)))
      })
    },

    record: (runId: string) =>
      look(async (sql) => {
        const row = await found(sql, selectRecord, runId)
        return { ...recordIn(row), isDriven: driverOf(leaseRow(runId, row), number(runId, row, 'at')) !== undefined }
      }),

    async release({ runId, fence, owner }: Lease): Promise<void> {
      await statement((sql) => sql(releaseLease, runId, fence, owner.id, channel, workNotice(sender)))
    },

    async delete(what: string | RunsToDelete, earlier: readonly FoundLease[] = []): Promise<DeletedRuns> {
      let deleted: DeletedRuns | undefined
      return write(async (sql, isRepeat) => {
        await lockTranscripts(sql, lock)
        if (isRepeat && deleted !== undefined && (await areGone(sql, deleted.runs))) return deleted
        deleted =
          typeof what === 'string'
            ? { runs: [what], readers: await deleteLocked(sql, what, earlier) }
            : await deleteRuns(sql, what, earlier)
        return deleted
      })
    },
  }
}

interface CreatedRun {
  readonly run: NewRun
  readonly owner: Owner
  readonly ttlMs: number
  readonly beginning: Beginning
  readonly input: string
  readonly now: number | null
}

function valuesOf({ run, owner, ttlMs, beginning, input, now }: CreatedRun) {
  const { id, agent, agentVersion = null, at, forkedFrom, continues } = run
  const { transcript, first, callsFrom, behind } = beginning
  return [
    ...[id, agent, at, first, owner.id, owner.host, owner.pid, owner.pidStart, now, ttlMs],
    ...[forkedFrom?.runId ?? null, forkedFrom?.version ?? null, transcript, callsFrom, continues?.runId ?? null],
    ...[input, behind?.transcript ?? null, behind?.seq ?? null],
    ...[...foundBy(run), agentVersion],
  ]
}

async function commitFirst(
  sql: Sql,
  records: PostgresRecords,
  run: InboxRun,
  { rows, commit }: EncodedStart<string>,
): Promise<void> {
  const first = commit(await insertPosted(sql, run, rows))
  if ('refused' in (await applyLocked(sql, first, { records }))) throw inboxBefore(first.runId)
}
