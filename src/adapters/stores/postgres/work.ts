import { openStatuses } from '../../../core/domain/call.ts'
import type { Lease } from '../../../core/ports/stored-run.ts'
import type {
  ClaimedWork,
  PostponedFilter,
  PostponedRun,
  Postponement,
  WorkQuery,
  WorkStore,
} from '../../../core/ports/work.ts'
import { damageIn } from '../../../core/domain/store-error.ts'
import { leaseRow, number, optionalNumber, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { postponedRun, untilRetry } from '../../../core/stores/rows/failed-rows.ts'
import { checkHeld } from '../../../core/stores/rows/lease-rules.ts'
import { type HeldRow, LeaseWatch } from '../../../core/stores/rows/lease-watch.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { InboxNotices } from './inbox.ts'
import { timeOr } from './lease-time.ts'
import { limitOf } from './list-values.ts'
import { workNotice } from './listener.ts'
import { fetchRun } from './reading.ts'
import { free } from './schema.ts'
import type { Session, Sql } from './session.ts'

const openList = openStatuses.map((status) => `'${status}'`).join(', ')
const hasWork = "(status = 'running' OR answered_at IS NOT NULL OR next_due <= $2)"
/**
 * The run is kept for no version or for this one, or it may be moved and no call of it is open. The first status in a body
 * is that of its call, and a body without one counts as open.
 */
const isOfVersion = `(agent_version IS NULL OR agent_version = $3::text OR ($4::bool AND NOT EXISTS (
  SELECT FROM @.log WHERE log.transcript = coalesce(runs.transcript, runs.number)
    AND log.seq BETWEEN runs.first_seq AND coalesce(runs.last_seq, runs.written_seq)
    AND log.kind = 'call' AND coalesce(substring(log.body FROM '"status":"([a-z]+)"') IN (${openList}), true))))`
const isWanted = `work_at IS NOT NULL AND work_at <= $2 AND agent = ANY ($1::text[]) AND ${hasWork} AND ${isOfVersion}`
const since = `
  CASE status WHEN 'running' THEN greatest(updated_at, lease_expires)
    ELSE least(answered_at, CASE WHEN next_due <= $2 THEN next_due END) END`
const selectHeld = `
  SELECT number, id, fence, owner, host, pid, pid_start, lease_expires, ${timeOr('$5')} AS at
  FROM @.runs WHERE owner IS NOT NULL AND ${isWanted}`
/** Callers at the same time receive different runs, because each skips the runs that another one is claiming. */
const takeRuns = `
  WITH free AS (
    SELECT number, owner IS NOT NULL AS was_held, ${since} AS since FROM @.runs
    WHERE ${isWanted} AND id <> ALL ($5::text[]) AND (
      (owner IS NULL AND lease_expires <= $2)
      OR (number, fence) IN (SELECT * FROM unnest($6::bigint[], $7::bigint[])))
    ORDER BY since, number LIMIT $8 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE @.runs SET fence = fence + 1, owner = $9, host = $10, pid = $11, pid_start = $12,
      lease_expires = ${timeOr('$13')} + $14::float8, agent_version = coalesce($3::text, agent_version), failed_version = version,
      failures = CASE WHEN failed_version = version THEN failures ELSE 0 END + was_held::int,
      problem = CASE WHEN failed_version = version THEN problem END
    FROM free WHERE runs.number = free.number
    RETURNING runs.id, runs.number, fence, failures, was_held, since
  )
  SELECT id, number, fence, failures, was_held FROM taken ORDER BY since, number`
const selectTaken = `
  SELECT number FROM @.runs JOIN unnest($1::bigint[], $2::bigint[]) AS taken (number, fence) USING (number, fence)
  WHERE owner = $3`
const countFree = `
  SELECT count(*) AS count FROM (
    SELECT FROM @.runs WHERE ${isWanted} AND owner IS NULL AND lease_expires <= $2 LIMIT $5) AS found`
const nextPostponed = `
  SELECT min(lease_expires) AS next FROM @.runs
  WHERE owner IS NULL AND lease_expires > 0 AND lease_expires < ${untilRetry} AND status <> 'done'`
const nextTimer = (whose: string) => `(
  SELECT next_due AS next FROM @.runs
  WHERE next_due IS NOT NULL AND ${whose}status = 'waiting' AND owner IS NULL AND lease_expires = 0
  ORDER BY next_due LIMIT 1)`
/** A postponed run has something to do when its time is over. */
const selectNextDueOfAll = `SELECT least((${nextPostponed}), ${nextTimer('')}) AS next`
const selectNextDue = `
  SELECT least((${nextPostponed} AND agent = ANY ($1::text[])), (
    SELECT min(due.next) FROM unnest($1::text[]) AS one (name)
    CROSS JOIN LATERAL ${nextTimer('agent = one.name AND ')} AS due)) AS next`
const postponeRun = `
  UPDATE @.runs SET ${free.replace('lease_expires = 0', 'lease_expires = $4')}, failed_version = version, failures = $5,
    problem = $6
  WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING number`
const selectLease = 'SELECT fence, owner, host, pid, pid_start, lease_expires FROM @.runs WHERE id = $1'
const selectPostponed = `
  SELECT id, agent, lease_expires, version, failed_version, failures, problem FROM @.runs
  WHERE owner IS NULL AND lease_expires > 0 AND lease_expires >= $1 AND status <> 'done'
    AND ($2::text[] IS NULL OR agent = ANY ($2::text[]))
  ORDER BY lease_expires DESC, number LIMIT $3`
const retryRun = `
  WITH retried AS (
    UPDATE @.runs SET lease_expires = 0, failed_version = NULL, failures = NULL, problem = NULL
    WHERE id = $1 AND owner IS NULL AND lease_expires > 0 RETURNING number
  )
  SELECT pg_notify($2, $3) FROM retried`

/** Returns the part of the store in which workers find work. */
export function createWork(
  { look, write, statement }: Session,
  { channel, sender }: InboxNotices,
  now: () => number | undefined,
) {
  const leases = new LeaseWatch()

  async function take(sql: Sql, query: WorkQuery): Promise<readonly SqlRow[]> {
    const { owner, ttlMs, except = [], limit } = query
    const wanted = wantedOf(query)
    const given = now() ?? null
    const held = (await sql(selectHeld, ...wanted, given)).map(heldRow)
    // All of them are checked by one clock.
    const taken = leases.free(held, { ...query, now: held[0]?.at ?? 0 })
    return sql(
      takeRuns,
      ...wanted,
      except,
      taken.map((row) => row.number),
      taken.map(({ fence }) => fence),
      limitOf(limit),
      ...[owner.id, owner.host, owner.pid, owner.pidStart, given, ttlMs],
    )
  }

  return {
    async claimNext(query: WorkQuery): Promise<readonly ClaimedWork[]> {
      if (query.limit <= 0) return []
      let claimed: readonly SqlRow[] = []
      return write(async (sql, isRepeat) => {
        const isTaken = isRepeat && (await areTaken(sql, claimed, query.owner.id))
        if (!isTaken) claimed = await take(sql, query)
        const found: ClaimedWork[] = []
        for (const row of claimed) found.push(await claimedWork(sql, row, query))
        return found
      })
    },

    backlog: (query: Backlog): Promise<number> =>
      look(async (sql) => {
        const [row = {}] = await sql(countFree, ...wantedOf(query), limitOf(query.limit))
        return number('', row, 'count')
      }),

    nextDue: (agents?: readonly string[]): Promise<number | undefined> =>
      look(async (sql) => {
        const rows = await (agents === undefined ? sql(selectNextDueOfAll) : sql(selectNextDue, agents))
        return optionalNumber('', rows[0] ?? {}, 'next') ?? undefined
      }),

    async postpone(lease: Lease, { until = untilRetry, failures, problem }: Postponement): Promise<void> {
      const { runId, fence, owner } = lease
      await statement(async (sql, isRepeat) => {
        const postponed = await sql(postponeRun, runId, fence, owner.id, until, failures, problem)
        if (postponed.length > 0) return
        const [row] = await sql(selectLease, runId)
        if (row === undefined) throw runUnknown(runId)
        const stored = leaseRow(runId, row)
        // A repeated request has no effect.
        if (isRepeat && stored.owner === null && stored.fence === fence && stored.expires === until) return
        checkHeld(lease, stored)
      })
    },

    postponed: ({ agents, isAside = false, limit }: PostponedFilter = {}): Promise<readonly PostponedRun[]> =>
      look(async (sql) => {
        const rows = await sql(selectPostponed, isAside ? untilRetry : 0, agents ?? null, limitOf(limit))
        return rows.map(postponedRun)
      }),

    retry: (runId: string): Promise<boolean> =>
      statement(async (sql, isRepeat) => {
        if ((await sql(retryRun, runId, channel, workNotice(sender))).length > 0) return true
        if ((await sql(selectLease, runId)).length === 0) throw runUnknown(runId)
        return isRepeat
      }),
  }
}

type Backlog = Parameters<WorkStore['backlog']>[0]

function wantedOf({ agents, now, version, moves = false }: Backlog) {
  return [agents, now, version ?? null, moves] as const
}

async function areTaken(sql: Sql, claimed: readonly SqlRow[], ownerId: string): Promise<boolean> {
  const numbers = claimed.map((row) => number('', row, 'number'))
  const fences = claimed.map((row) => number('', row, 'fence'))
  return numbers.length > 0 && (await sql(selectTaken, numbers, fences, ownerId)).length === numbers.length
}

async function claimedWork(sql: Sql, row: SqlRow, { owner }: WorkQuery): Promise<ClaimedWork> {
  const runId = text('', row, 'id')
  const told = { failures: number(runId, row, 'failures'), wasHeld: row['was_held'] === true }
  return {
    lease: { runId, owner: { ...owner }, fence: number(runId, row, 'fence') },
    // A run that cannot be read keeps no other from being claimed.
    run: await fetchRun(sql, runId, { isBare: true }).catch(damageIn),
    ...told,
  }
}

function heldRow(row: SqlRow): HeldRow & { readonly number: number; readonly at: number } {
  const runId = text('', row, 'id')
  return { ...leaseRow(runId, row), runId, number: number(runId, row, 'number'), at: number(runId, row, 'at') }
}
