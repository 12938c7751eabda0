import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlRow } from '../../../core/stores/rows/columns.ts'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import { toRunError, toStoreError } from './errors.ts'
import { rollBack } from './migrate.ts'
import { packDocument, unpackDocument } from './packed-document.ts'

type SqlValue = string | number | bigint | Uint8Array | null

/** A prepared statement. */
export interface Statement {
  run(...values: readonly SqlValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): SqlRow[]
}

/** The result of an operation that may fail: its value or its error. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown }

/** An open database, its prepared statements and its transactions. */
export interface Session {
  /** The statement of a SQL text, prepared once. */
  readonly sql: (text: string) => Statement
  /** Runs `work` of one statement, which needs no transaction to see one moment. */
  readonly look: <Result>(work: () => Result, runId: string) => Result
  /** Runs `work` in one transaction that sees the store as it is at one moment. */
  readonly read: <Result>(work: () => Result, runId?: string) => Result
  /** Runs `work` in one transaction that no other writer shares; what it throws undoes it. */
  readonly write: <Result>(work: () => Result, runId?: string) => Result
  /** Runs `work` inside a transaction and undoes it alone if it throws. Throws if the whole transaction is over. */
  readonly alone: <Result>(work: () => Result) => Outcome<Result>
  /** Judges without a lock and writes. Judges again under the lock if another process wrote meanwhile. */
  readonly settle: <Judged>(
    judge: () => Judged,
    write: (judged: Judged) => void,
    how?: { readonly runId?: string; readonly isNothing?: (judged: Judged) => boolean },
  ) => Judged
  /** The error to report for one of SQLite, any other as it is; rows of `runId` that cannot be read are its damage. */
  readonly errorOf: (error: unknown, runId?: string) => unknown
  /** Returns the document of a checkpoint as its row stores it. */
  readonly pack: (document: string) => string | Uint8Array
  /** Returns the document of a row; undefined if the row is damaged. */
  readonly unpack: (packed: unknown) => string | undefined
  readonly close: () => void
}

const isNumbered = /\?\d/

/** Binds values to numbered parameters by name: Node 22.16 to 22.19 do not bind them by place. */
function byName(statement: StatementSync): Statement {
  const named = (values: readonly SqlValue[]) => Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value]))
  return {
    run: (...values) => statement.run(named(values)),
    get: (...values) => statement.get(named(values)),
    all: (...values) => statement.all(named(values)),
  }
}

/** Creates a session over an open database. Errors of SQLite leave it as `StoreError`. */
export function createSession(database: DatabaseSync, path: string): Session {
  const statements = new Map<string, Statement>()
  let isOpen = true

  function errorOf(error: unknown, runId?: string): unknown {
    return runId === undefined ? toStoreError(error, path) : toRunError(error, path, runId)
  }

  function sql(text: string): Statement {
    if (!isOpen) throw storeClosed()
    const known = statements.get(text)
    if (known !== undefined) return known
    const prepared = database.prepare(text)
    const statement = isNumbered.test(text) ? byName(prepared) : prepared
    statements.set(text, statement)
    return statement
  }

  function look<Result>(work: () => Result, runId: string): Result {
    try {
      return work()
    } catch (error) {
      throw errorOf(error, runId)
    }
  }

  function transaction<Result>(begin: string, work: () => Result, runId: string | undefined): Result {
    try {
      sql(begin).run()
      const result = work()
      sql('COMMIT').run()
      return result
    } catch (error) {
      rollBack(database)
      throw errorOf(error, runId)
    }
  }

  const read = <Result>(work: () => Result, runId?: string) => transaction('BEGIN', work, runId)
  const write = <Result>(work: () => Result, runId?: string) => transaction('BEGIN IMMEDIATE', work, runId)

  function alone<Result>(work: () => Result): Outcome<Result> {
    sql('SAVEPOINT one').run()
    try {
      const value = work()
      sql('RELEASE one').run()
      return { value }
    } catch (error) {
      // Fails if SQLite has ended the whole transaction.
      sql('ROLLBACK TO one').run()
      sql('RELEASE one').run()
      return { error }
    }
  }

  /** Changes with every transaction of another connection. */
  function dataVersion(): unknown {
    return sql('PRAGMA data_version').get()?.['data_version']
  }

  function settle<Judged>(
    judge: () => Judged,
    apply: (judged: Judged) => void,
    {
      runId,
      isNothing = () => false,
    }: { readonly runId?: string; readonly isNothing?: (judged: Judged) => boolean } = {},
  ): Judged {
    const first = read(() => ({ version: dataVersion(), judged: judge() }), runId)
    if (isNothing(first.judged)) return first.judged
    return write(() => {
      const judged = dataVersion() === first.version ? first.judged : judge()
      apply(judged)
      return judged
    }, runId)
  }

  return {
    sql,
    look,
    read,
    write,
    alone,
    settle,
    errorOf,
    pack: packDocument,
    unpack: unpackDocument,
    close() {
      if (!isOpen) return
      isOpen = false
      statements.clear()
      database.close()
    },
  }
}
