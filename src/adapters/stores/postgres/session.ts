import { hashText } from '../../../core/domain/text/json.ts'
import type { SqlRow } from '../../../core/stores/rows/columns.ts'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import { connectFailureOf, failureOf, PostgresFailure, toStoreError } from './failure.ts'
import { checkPooler, isPooled } from './pooler.ts'
import type { PostgresClient, PostgresPool, PostgresQuery } from './postgres-pool.ts'
import { originalText, safeText } from './safe-text.ts'

/** A value of a statement. */
export type SqlValue = string | number | boolean | null | readonly (string | number | null)[]

/** Runs one statement and returns its rows. `@.` and `@SCHEMA` are replaced by the schema's name. */
export type Sql = (text: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>

/** The doubt about a failed write, which may be stored nevertheless. */
export interface Doubt {
  isOpen: boolean
}

/** The connections of a pool, with a store's work on them. */
export interface Session {
  /** Does what reads in one statement, or whose statements need not see the same moment. */
  readonly look: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>
  /** Does what reads, all of it as the store is at one moment. */
  readonly read: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>
  /** Writes in one transaction. After a lost commit, `work` runs again with `isRepeat`, and checks if it is stored. */
  readonly write: <Result>(work: (sql: Sql, isRepeat: boolean) => Promise<Result>, doubt?: Doubt) => Promise<Result>
  /** Writes with one statement, which is its own transaction. */
  readonly statement: <Result>(work: (sql: Sql, isRepeat: boolean) => Promise<Result>, doubt?: Doubt) => Promise<Result>
  /** Takes a connection out of the pool, for as long as the caller likes. */
  readonly connect: () => Promise<PostgresClient>
  readonly close: () => void
}

/** The dependencies of a session. */
export interface SessionOptions {
  readonly pool: PostgresPool
  readonly schema: string
  readonly place: string
  /** Milliseconds for which a lost connection is looked for again. */
  readonly patienceMs: number
  /** Milliseconds after which no answer is expected any more. */
  readonly answerMs: number
  /** Milliseconds that the server allows each statement and idle transaction; undefined if the pool's owner sets these limits. */
  readonly statementMs: number | undefined
  /** Called with the first connection: creates the tables, or refuses existing foreign ones. */
  readonly prepare: (sql: Sql) => Promise<void>
}

/** Set after connecting, because connection poolers refuse startup parameters that they do not know. */
const setTimeouts =
  "SELECT set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $1, false)"

/** Creates a session over a pool. */
export function createSession(options: SessionOptions): Session {
  const { pool, schema, place, patienceMs, answerMs, statementMs, prepare } = options
  const statementOf = createStatements(schema)
  const seen = new WeakSet<PostgresClient>()
  const limited = new WeakSet<PostgresClient>()
  let isOpen = true
  let prepared: Promise<void> | undefined
  let hasConnected = false

  async function connect(): Promise<PostgresClient> {
    if (!isOpen) throw storeClosed()
    prepared ??= prepareStore().catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    await prepared
    const client = await take()
    try {
      await limitTimes(client)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async function take(): Promise<PostgresClient> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw connectFailureOf(cause)
    })
    hasConnected = true
    // Handles the errors of connections that the pool had opened before.
    if (!seen.has(client)) client.on('error', () => undefined)
    seen.add(client)
    return client
  }

  function sqlOf(client: PostgresClient): Sql {
    return async (text, ...values) => {
      const query: PostgresQuery = {
        ...statementOf(text),
        values: values.map(storedValue),
        types,
        query_timeout: answerMs,
      }
      const answer = await client.query(query).catch((cause: unknown) => {
        throw failureOf(cause)
      })
      // An aborted transaction answers ROLLBACK, and no error.
      if (text === 'COMMIT' && answer.command !== 'COMMIT')
        throw new PostgresFailure('again', 'its transaction was rolled back')
      return answer.rows
    }
  }

  async function limitTimes(client: PostgresClient): Promise<void> {
    if (statementMs === undefined || limited.has(client)) return
    await sqlOf(client)(setTimeouts, String(statementMs))
    limited.add(client)
  }

  /** Uses its own connections, while callers that wait for it hold none. */
  async function prepareStore(): Promise<void> {
    const client = await take()
    await lend(client, async (sql) => {
      if (await isPooled(client, sql)) await lend(await take(), (other) => checkPooler(sql, other, place))
      await limitTimes(client)
      await prepare(sql)
    })
  }

  /** Returns the connection after the `last` statement, without waiting for that statement's result. */
  async function withClient<Result>(work: (sql: Sql) => Promise<Result>, last?: 'COMMIT'): Promise<Result> {
    return lend(await connect(), work, last)
  }

  async function lend<Result>(
    client: PostgresClient,
    work: (sql: Sql) => Promise<Result>,
    last?: 'COMMIT',
  ): Promise<Result> {
    let isSound = false
    try {
      const result = await work(sqlOf(client))
      isSound = true
      return result
    } catch (error) {
      isSound = await isUsable(client, error)
      throw error
    } finally {
      if (isSound && last !== undefined) void releaseAfter(client, last)
      else client.release(!isSound)
    }
  }

  async function releaseAfter(client: PostgresClient, last: string): Promise<void> {
    const isSound = await sqlOf(client)(last).then(
      () => true,
      () => false,
    )
    client.release(!isSound)
  }

  /** A connection is reused only if its open transaction was rolled back. */
  async function isUsable(client: PostgresClient, error: unknown): Promise<boolean> {
    if (error instanceof PostgresFailure && error.kind === 'lost') return false
    return sqlOf(client)('ROLLBACK').then(
      () => true,
      () => false,
    )
  }

  async function patiently<Result>(work: () => Promise<Result>, doubt?: Doubt): Promise<Result> {
    const giveUpAt = performance.now() + patienceMs
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        const mayPass = error instanceof PostgresFailure && error.kind !== 'refused'
        if (!mayPass || !hasConnected || performance.now() >= giveUpAt || !isOpen) {
          throw toStoreError(error, place, doubt?.isOpen === true)
        }
        await new Promise((resolve) => setTimeout(resolve, Math.min(10 * 2 ** attempt, 500)))
      }
    }
  }

  return {
    look: (work) => patiently(() => withClient(work)),
    read: (work) => patiently(() => withClient((sql) => sql(beginRead).then(() => work(sql)), 'COMMIT')),
    write: (work, doubt = { isOpen: false }) =>
      patiently(() => {
        const isRepeat = doubt.isOpen
        return withClient((sql) => transaction(sql, 'BEGIN', () => work(sql, isRepeat), doubt))
      }, doubt),
    statement: (work, doubt = { isOpen: false }) =>
      patiently(() => {
        const isRepeat = doubt.isOpen
        return withClient((sql) => settling(doubt, () => work(sql, isRepeat)))
      }, doubt),
    connect: () => patiently(connect),
    close() {
      isOpen = false
    },
  }
}

const beginRead = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

async function transaction<Result>(
  sql: Sql,
  begin: string,
  work: () => Promise<Result>,
  doubt: Doubt = { isOpen: false },
): Promise<Result> {
  await sql(begin)
  const result = await work()
  await settling(doubt, () => sql('COMMIT'))
  return result
}

/** A write whose answer was lost is in doubt. */
async function settling<Result>(doubt: Doubt, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof PostgresFailure && error.kind === 'lost') doubt.isOpen = true
    throw error
  }
}

function createStatements(schema: string): (text: string) => Pick<PostgresQuery, 'text' | 'name'> {
  const known = new Map<string, Pick<PostgresQuery, 'text' | 'name'>>()
  return (source) => {
    const found = known.get(source)
    if (found !== undefined) return found
    const text = source.replaceAll(/@(?:SCHEMA\b|(?=\.))/g, () => quoted(schema))
    // A statement that runs once per transaction or store needs no prepared plan.
    const statement = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/.test(text)
      ? { text, name: `statewright_${hashText(text)}` }
      : { text }
    known.set(source, statement)
    return statement
  }
}

/** Returns a quoted name for a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function storedValue(value: SqlValue): unknown {
  if (typeof value === 'string') return safeText(value)
  if (typeof value !== 'object' || value === null) return value
  return value.map((one) => (typeof one === 'string' ? safeText(one) : one))
}

const numbers: ReadonlySet<number> = new Set([20, 21, 23, 701])
const boolean = 16

/** Whole and other numbers are numbers: none here is beyond what JavaScript holds exactly. */
const types: PostgresQuery['types'] = {
  getTypeParser: (oid) => {
    if (numbers.has(oid)) return Number
    return oid === boolean ? (value) => value === 't' : originalText
  },
}
