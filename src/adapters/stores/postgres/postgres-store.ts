import type { DecisionRecord } from '../../../core/domain/audit-entry.ts'
import type { Decision } from '../../../core/domain/decision.ts'
import type { DecisionOccasion } from '../../../core/domain/judge-decision.ts'
import { postAnswer } from '../../../core/domain/event-decision.ts'
import * as is from '../../../core/domain/text/option-shape.ts'
import { blindWrites } from '../../../core/domain/records/record-change.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { CommitReceipt, CommitRefused, Store } from '../../../core/ports/store.ts'
import { encodeCommit, type EncodedCommit } from '../../../core/stores/rows/encode-commit.ts'
import { commitApart } from '../../../core/stores/rows/files.ts'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import { createCommits } from './commit.ts'
import { createInbox, notify } from './inbox.ts'
import { createLeases } from './leases.ts'
import { listRuns } from './list.ts'
import { channelOf, workNotice } from './listener.ts'
import { databaseOf, openPool } from './open-pools.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { createReading } from './reading.ts'
import { areNews, createRecords } from './records.ts'
import { listSuspended } from './suspended.ts'
import { createWork } from './work.ts'

export type { PostgresAnswer, PostgresClient, PostgresPool, PostgresQuery } from './postgres-pool.ts'

/** The database of a store, as either `connectionString` or `pool`, and its options. */
export interface PostgresStoreOptions {
  /** The address of the database, e.g. `postgres://user:password@host/database`. */
  readonly connectionString?: string
  /** A pool of the package pg that holds at least two connections; its time-outs are its own, and it stays open. */
  readonly pool?: PostgresPool
  /** The schema of the tables, made if it is missing. Default `statewright`. */
  readonly schema?: string
  /** Connections at once, at least 2; one of them listens. Default 10; not with `pool`. */
  readonly connections?: number
  /** Milliseconds for which a lost connection is looked for again before `store_unavailable`. Default 5,000. */
  readonly patienceMs?: number
  /** Milliseconds after which the server ends a statement, or a transaction without activity. Default 30,000. */
  readonly statementMs?: number
  /** Milliseconds between two polls for new rows, besides the notifications of the server. Default 1,000. */
  readonly pollMs?: number
  /** The clock for the expiry of leases, for tests. Default: the server's, so that clocks of processes may differ. */
  readonly clock?: Pick<Clock, 'now'>
}

const positive = is.number('more than 0 milliseconds', (ms) => ms > 0)

const shape: is.OptionShape<PostgresStoreOptions> = {
  connectionString: is.optional(is.filledText),
  pool: is.optional(is.having('a pool of the package pg', 'connect', 'on')),
  schema: is.optional(is.filledText),
  connections: is.optional(is.number('2 or more connections', (count) => Number.isSafeInteger(count) && count >= 2)),
  patienceMs: is.optional(is.number('0 or more milliseconds', (ms) => ms >= 0)),
  statementMs: is.optional(positive),
  pollMs: is.optional(positive),
  clock: is.optional(is.having('a clock', 'now')),
}

/** Opens a store in a schema of a Postgres database, on first use. Leases expire by the server's clock. */
export function postgresStore(options: PostgresStoreOptions): Store {
  is.checkOptions('postgresStore', options, shape)
  const { schema = 'statewright', connections = 10, patienceMs = 5000, statementMs = 30_000, pollMs = 1000 } = options
  checkSchema(schema)
  const from = databaseOf('postgresStore', options)
  if (typeof from !== 'string' && from.options.max !== undefined && from.options.max < 2) {
    const wish = 'Set its max to 2 or more.'
    throw new UsageError('bad_option', `The pool of postgresStore holds 1 connection, and one listens. ${wish}`)
  }
  const { session, watchers, sender, leave } = openPool({ from, schema, connections, patienceMs, statementMs, pollMs })
  const lock = `statewright transcripts:${schema}`
  const leaseTime = () => options.clock?.now()
  const notices = { channel: channelOf(schema), sender }
  const kept = createRecords(session, { now: leaseTime, tell })
  const leases = createLeases(session, { lock, now: leaseTime, records: kept, ...notices })
  const inbox = createInbox(session, notices, kept.write)
  const reading = createReading(session)
  const commit = createCommits(session, kept)
  const stops = new Set<() => void>()
  const underWay = new Set<Promise<unknown>>()
  const committing = new Map<string, Promise<unknown>>()
  let isOpen = true

  function opened<Given extends readonly unknown[], Result>(
    work: (...given: Given) => Promise<Result>,
  ): (...given: Given) => Promise<Result> {
    return async (...given) => {
      if (!isOpen) throw storeClosed()
      const result = work(...given)
      underWay.add(result)
      return result.finally(() => underWay.delete(result))
    }
  }

  function watched(add: (changed: () => void) => () => void, changed: () => void): () => void {
    if (!isOpen) throw storeClosed()
    const stop = add(changed)
    stops.add(stop)
    return () => {
      stops.delete(stop)
      stop()
    }
  }

  /** Reads on its own connection, after waiting for the run's earlier commits. */
  async function behindCommits<Result>(runId: string, read: () => Promise<Result>): Promise<Result> {
    await committing.get(runId)
    return read()
  }

  async function committed(encoded: EncodedCommit): Promise<CommitReceipt | CommitRefused> {
    const { runId } = encoded
    const answer = commit(encoded)
    const settled = Promise.allSettled([committing.get(runId), answer])
    committing.set(runId, settled)
    void settled.then(() => committing.get(runId) === settled && committing.delete(runId))
    return answer
  }

  const work = createWork(session, notices, leaseTime)

  async function tell(): Promise<void> {
    watchers.notifyOfWork()
    await session.statement((sql) => sql(notify, notices.channel, workNotice(sender)))
  }

  async function decide(
    runId: string,
    decisions: readonly Decision[],
    occasion: DecisionOccasion,
    records?: readonly (DecisionRecord | undefined)[],
  ) {
    const { answer, hasPosted } = await inbox.decide(runId, decisions, occasion, records)
    if (hasPosted) watchers.notify(runId)
    return answer
  }

  return {
    claimNext: opened((query) => work.claimNext(query)),
    backlog: opened((query) => work.backlog(query)),
    nextDue: opened((agents) => work.nextDue(agents)),
    postponed: opened((filter) => work.postponed(filter)),
    retry: opened(async (runId) => {
      const isRetried = await work.retry(runId)
      if (isRetried) watchers.notifyOfWork()
      return isRetried
    }),

    records: opened(kept.records),
    change: opened(kept.change),

    create: opened(async (run, owner, ttlMs, first) => {
      const lease = await leases.create(run, owner, ttlMs, first)
      if (run.notBefore !== undefined) watchers.notifyOfWork()
      return lease
    }),
    claim: opened((runId, owner, ttlMs, found) => leases.claim(runId, owner, ttlMs, found)),
    renew: opened((lease, ttlMs) => leases.renew(lease, ttlMs)),
    release: opened(async (lease, postponement) => {
      if (postponement !== undefined) return work.postpone(lease, postponement)
      await leases.release(lease)
      watchers.notifyOfWork()
    }),
    delete: opened((what, found) => leases.delete(what, found)),
    commit: opened(async (one) => {
      const encoded = encodeCommit(one, commitApart())
      const receipt = await committed(encoded)
      // Waiting processes also look by themselves, and the commit is stored.
      if ('version' in receipt && areNews(blindWrites(encoded.records) ?? [])) await tell().catch(() => undefined)
      return receipt
    }),

    decide: opened((runId, decisions, now, records) => decide(runId, decisions, { now }, records)),
    post: opened(async (runId, item, now) => {
      if (item.kind === 'serviceAnswer')
        return postAnswer(runId, item, (given, service) => decide(runId, given, { now, service }))
      const { answer, hasPosted } = await inbox.post(runId, item, now)
      if (hasPosted) watchers.notify(runId)
      return answer
    }),
    inbox: opened((runId, filter) => inbox.rows(runId, filter ?? {})),
    watch: (runId, changed) =>
      watched((told) => (runId === undefined ? watchers.addForAll(told) : watchers.add(runId, told)), changed),

    read: opened((runId, isBare) => behindCommits(runId, () => reading.read(runId, isBare))),
    record: opened((runId) => behindCommits(runId, () => leases.record(runId))),
    input: opened((runId) => behindCommits(runId, () => reading.input(runId))),
    calls: opened((runId, wanted) => behindCommits(runId, () => reading.calls(runId, wanted))),
    entries: opened((runId, after, limit) => behindCommits(runId, () => reading.entries(runId, after, limit))),
    list: opened((filter) => listRuns(session, filter ?? {})),
    suspended: opened((filter) => listSuspended(session, filter ?? {})),
    checkpoints: opened((runId) => behindCommits(runId, () => reading.checkpoints(runId))),
    checkpoint: opened((runId, version) => behindCommits(runId, () => reading.checkpoint(runId, version))),
    due: opened((now) => reading.due(now)),

    async close() {
      if (!isOpen) return
      isOpen = false
      for (const stop of stops) stop()
      await Promise.allSettled(underWay)
      await leave()
    },
  }
}

function checkSchema(schema: string): void {
  const isName = Buffer.byteLength(schema) <= 63 && schema.isWellFormed() && !schema.includes('\0')
  if (isName && !schema.startsWith('pg_')) return
  const wish = 'Give a name of at most 63 bytes that does not begin with "pg_".'
  throw new UsageError(
    'bad_option',
    `postgresStore got the schema "${schema.slice(0, 100)}", which Postgres does not take. ${wish}`,
  )
}
