import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import { toRunError, toStoreError } from './errors.ts'
import { rollBack } from './migrate.ts'

/** An open database, its prepared statements and its transactions. */
export interface Session {
  /** The statement of a SQL text, prepared once. */
  readonly sql: (text: string) => StatementSync
  /** Runs `work` of one statement, which needs no transaction to see one moment. */
  readonly look: <Result>(work: () => Result, runId: string) => Result
  /** Runs `work` in one transaction that sees the store as it is at one moment. */
  readonly read: <Result>(work: () => Result, runId?: string) => Result
  /** Runs `work` in one transaction that no other writer shares; what it throws undoes it. */
  readonly write: <Result>(work: () => Result, runId?: string) => Result
  /** Judges without a lock and writes. Judges again under the lock if another process wrote meanwhile. */
  readonly settle: <Judged>(
    judge: () => Judged,
    write: (judged: Judged) => void,
    how?: { readonly runId?: string; readonly isNothing?: (judged: Judged) => boolean },
  ) => Judged
  /** The error to report for one of SQLite, any other as it is; rows of `runId` that cannot be read are its damage. */
  readonly errorOf: (error: unknown, runId?: string) => unknown
  readonly close: () => void
}

/** A session over an open database; errors of SQLite leave it as `StoreError`. */
export function createSession(database: DatabaseSync, path: string): Session {
  const statements = new Map<string, StatementSync>()
  let isOpen = true

  function errorOf(error: unknown, runId?: string): unknown {
    return runId === undefined ? toStoreError(error, path) : toRunError(error, path, runId)
  }

  function sql(text: string): StatementSync {
    if (!isOpen) throw storeClosed()
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
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
    settle,
    errorOf,
    close() {
      if (!isOpen) return
      isOpen = false
      statements.clear()
      database.close()
    },
  }
}
