import * as is from '../../../core/domain/text/option-shape.ts'
import type { Memory } from '../../../core/ports/memory.ts'
import { databaseOf, poolFrom } from '../../stores/postgres/open-pools.ts'
import type { PostgresPool } from '../../stores/postgres/postgres-pool.ts'
import { createSession, quoted } from '../../stores/postgres/session.ts'
import { memoryOnRows } from '../memory-on-rows.ts'
import { type MemoryOptions, memoryShape } from '../memory-options.ts'
import { makeTables } from './make-tables.ts'
import { postgresRows } from './postgres-rows.ts'

/** The database of a memory, as either `connectionString` or `pool`, and the memory's limits. */
export interface PostgresMemoryOptions extends MemoryOptions {
  /** The address of the database, e.g. `postgres://user:password@host/database`. */
  readonly connectionString?: string
  /** A pool of the package pg; it stays open. */
  readonly pool?: PostgresPool
  /** The schema of the tables, made if it is missing; not that of a store. Default `statewright_memory`. */
  readonly schema?: string
  /** Connections at once. Default 4; not with `pool`. */
  readonly connections?: number
  /** Milliseconds after which the server ends a statement. Default 30,000. */
  readonly statementMs?: number
}

/** A memory in a schema of a Postgres database, which many processes may use. */
export interface PostgresMemory extends Memory {
  /** Ends the connections that the memory opened. */
  close(): Promise<void>
}

const shape: is.OptionShape<PostgresMemoryOptions> = {
  ...memoryShape,
  connectionString: is.optional(is.filledText),
  pool: is.optional(is.having('a pool of the package pg', 'connect', 'on')),
  schema: is.optional(is.filledText),
  connections: is.optional(is.number('1 or more connections', (count) => Number.isSafeInteger(count) && count >= 1)),
  statementMs: is.optional(is.number('more than 0 milliseconds', (ms) => ms > 0)),
}

const patienceMs = 5_000

/**
 * Stores memories in a schema of a Postgres database. It finds them as `sqliteMemory` does, by the server's full-text
 * search. It connects on first use, and creates its tables then. A schema has one language: methods reject with a
 * `MemoryError` of code `memory_foreign` for a schema of another language or of another program.
 *
 * @example
 * const memory = postgresMemory({ connectionString: 'postgres://user@host/database' })
 */
export function postgresMemory(options: PostgresMemoryOptions): PostgresMemory {
  is.checkOptions('postgresMemory', options, shape)
  const { connections = 4, statementMs = 30_000, language = 'english' } = options
  const { schema = 'statewright_memory' } = options
  const from = databaseOf('postgresMemory', options)
  const { pool, end } = poolFrom(from, connections)
  const session = createSession({
    pool,
    schema,
    place: `schema "${schema}"`,
    patienceMs,
    answerMs: statementMs + 5_000,
    statementMs: typeof from === 'string' ? statementMs : undefined,
    prepare: (sql) => makeTables(sql, schema, language),
  })
  const rows = postgresRows(session, `${quoted(schema)}.words`)
  return {
    ...memoryOnRows(rows, options, `in schema "${schema}"`),
    close: async () => {
      session.close()
      await end()
    },
  }
}
