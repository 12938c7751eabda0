import { StoreError } from '../../../core/domain/store-error.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { PostgresClient, PostgresPool } from './postgres-pool.ts'
import { createListeningWatchers, type ListeningWatchers } from './listener.ts'
import { migrate } from './migrate.ts'
import { createSession, type Session } from './session.ts'

interface OpenPoolOptions {
  /** The pool of the caller, or the address of the database. */
  readonly from: PostgresPool | string
  readonly schema: string
  readonly patienceMs: number
  readonly pollMs: number
  readonly statementMs: number
  readonly connections: number
}

interface OpenPool {
  readonly session: Session
  readonly watchers: ListeningWatchers
  readonly sender: string
  /** Called once by each closed store; the last call closes what was opened. */
  readonly leave: () => Promise<void>
}

interface SharedPool extends Omit<OpenPool, 'leave'> {
  readonly end: () => Promise<void>
  users: number
}

const openPools = new Map<string, SharedPool>()
const poolNumbers = new WeakMap<PostgresPool, number>()
let lastNumber = 0

/** Returns the connections for one more store of this process. Connects on first use. */
export function openPool(options: OpenPoolOptions): OpenPool {
  const key = keyOf(options)
  const shared = openPools.get(key) ?? createShared(options)
  openPools.set(key, shared)
  shared.users++
  return { ...shared, leave: () => leave(key, shared) }
}

async function leave(key: string, shared: SharedPool): Promise<void> {
  if (--shared.users > 0) return
  if (openPools.get(key) === shared) openPools.delete(key)
  shared.watchers.close()
  shared.session.close()
  await shared.end()
}

function createShared(options: OpenPoolOptions): SharedPool {
  const { from, schema, patienceMs, pollMs, statementMs } = options
  const place = placeOf(options)
  const sender = crypto.randomUUID()
  const { pool, end } = poolFrom(from, options.connections)
  const session = createSession({
    pool,
    schema,
    place,
    patienceMs,
    answerMs: statementMs + 5000,
    statementMs: typeof from === 'string' ? statementMs : undefined,
    prepare: (sql) => migrate(sql, { schema, place }),
  })
  return { session, watchers: createListeningWatchers(session, { schema, sender, pollMs }), sender, end, users: 0 }
}

/** Returns the pool or the address in options; throws a `UsageError` unless exactly one is given. */
export function databaseOf(
  owner: string,
  { connectionString, pool }: { readonly connectionString?: string; readonly pool?: PostgresPool },
): PostgresPool | string {
  const from = pool ?? connectionString
  if (from !== undefined && (pool === undefined || connectionString === undefined)) return from
  const wish = 'Give the address of a database, or a pool.'
  throw new UsageError('bad_option', `${owner} needs one of "connectionString" and "pool". ${wish}`)
}

interface UsedPool {
  readonly pool: PostgresPool
  readonly end: () => Promise<void>
}

/** Returns the caller's pool, or a new one for an address. `end` closes only the new one. */
export function poolFrom(from: PostgresPool | string, connections: number): UsedPool {
  return typeof from === 'string' ? ownPool(from, connections) : givenPool(from)
}

/** A pool that is made when the first connection is asked for, since its package is loaded then. */
function ownPool(connectionString: string, connections: number): UsedPool {
  type OwnPool = PostgresPool & { end(): Promise<void> }
  let made: Promise<OwnPool> | undefined
  async function make(): Promise<OwnPool> {
    const { Pool } = await import('pg').catch((cause: unknown) => {
      const wish = 'It is an optional peer dependency: npm install pg'
      throw new StoreError('store_unavailable', `The package pg could not be loaded. ${wish}`, { cause })
    })
    const pool = new Pool({
      connectionString,
      max: connections,
      application_name: 'statewright',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      allowExitOnIdle: true,
    })
    hearErrors(pool)
    return pool
  }
  const pool: PostgresPool = {
    options: { max: connections },
    connect: async () => {
      made ??= make()
      return (await made).connect()
    },
    on: () => undefined,
    removeListener: () => undefined,
  }
  return { pool, end: async () => (await made)?.end() }
}

function givenPool(pool: PostgresPool): UsedPool {
  const stop = hearErrors(pool)
  return { pool, end: async () => stop() }
}

/** Handles errors of idle connections from the start, because an unhandled one would end the process. */
function hearErrors(pool: PostgresPool): () => void {
  const ignore = () => undefined
  const hear = (client: PostgresClient) => void client.on('error', ignore)
  pool.on('error', ignore)
  pool.on('connect', hear)
  return () => {
    pool.removeListener('error', ignore)
    pool.removeListener('connect', hear)
  }
}

function keyOf({ from, ...rest }: OpenPoolOptions): string {
  if (typeof from === 'string') return JSON.stringify([from, rest])
  const known = poolNumbers.get(from) ?? ++lastNumber
  poolNumbers.set(from, known)
  return JSON.stringify([known, rest])
}

function placeOf({ from, schema }: OpenPoolOptions): string {
  const address = typeof from === 'string' ? addressOf(from) : undefined
  return `schema "${schema}" of ${address ?? 'the database'}`
}

function addressOf(connectionString: string): string | undefined {
  const url = URL.parse(connectionString)
  return url === null ? undefined : `${url.host}${url.pathname}`
}
