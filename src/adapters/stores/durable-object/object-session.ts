import { storeClosed } from '../../../core/stores/rows/store-errors.ts'
import type { Outcome, Session, Statement } from '../sqlite/session.ts'
import { errorOfRun, objectError } from './object-errors.ts'
import type { ObjectStorage } from './object-storage.ts'

type Storage = Pick<ObjectStorage, 'sql' | 'transactionSync'>

/** The functions that a session calls besides its statements. */
export interface SessionHooks {
  /**
   * Opens the store before the first statement. A read leaves an empty object as it is; returns true if the object has
   * the tables of a store.
   */
  readonly open: (isWrite: boolean) => boolean
  /** Called in every transaction that may write. */
  readonly onWrite: () => void
}

/**
 * Creates a session over the storage of a Durable Object. Nobody else reads or writes that storage, and statements are
 * synchronous, so a read needs no transaction.
 */
export function createObjectSession(storage: Storage, { open, onWrite }: SessionHooks): Session {
  const statements = new Map<string, Statement>()
  let isOpen = true
  let isReady = false

  function hasTables(isWrite: boolean): boolean {
    if (!isOpen) throw storeClosed()
    isReady ||= open(isWrite)
    return isReady
  }

  function sql(text: string): Statement {
    if (!hasTables(false)) return ofNothing
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = statementOf(storage, text)
    statements.set(text, statement)
    return statement
  }

  function read<Result>(work: () => Result, runId?: string): Result {
    try {
      return work()
    } catch (error) {
      throw errorOfRun(error, runId)
    }
  }

  function write<Result>(work: () => Result, runId?: string): Result {
    hasTables(true)
    return read(
      () =>
        transaction(storage, () => {
          onWrite()
          return work()
        }),
      runId,
    )
  }

  return {
    sql,
    look: read,
    read,
    write,
    alone: (work) => alone(storage, work),
    settle(judge, apply, { runId, isNothing = () => false } = {}) {
      const judged = read(judge, runId)
      if (!isNothing(judged)) write(() => apply(judged), runId)
      return judged
    },
    errorOf: errorOfRun,
    pack: (document) => document,
    unpack: (packed) => (typeof packed === 'string' ? packed : undefined),
    close() {
      isOpen = false
      statements.clear()
    },
  }
}

/** Any statement, in an object without tables. Only a transaction that may write runs one, and it creates them first. */
const ofNothing: Statement = { all: () => [], get: () => undefined, run: () => ({ changes: 0, lastInsertRowid: 0 }) }

const selectChanges = 'SELECT changes() AS changes, last_insert_rowid() AS lastInsertRowid'

function statementOf(storage: Storage, text: string): Statement {
  function all(values: readonly unknown[]): Record<string, unknown>[] {
    try {
      return storage.sql.exec(text, ...values).toArray()
    } catch (error) {
      throw objectError(error)
    }
  }
  return {
    all: (...values) => all(values),
    get: (...values) => all(values)[0],
    run(...values) {
      all(values)
      const [row = {}] = storage.sql.exec(selectChanges).toArray()
      return { changes: Number(row['changes']), lastInsertRowid: Number(row['lastInsertRowid']) }
    },
  }
}

/** Runs `work` in a transaction. An error of the transaction itself becomes a `StoreError`; one of `work` stays as it is. */
function transaction<Result>(storage: Storage, work: () => Result): Result {
  const outcome = alone(storage, work)
  if ('value' in outcome) return outcome.value
  throw outcome.error
}

function alone<Result>(storage: Storage, work: () => Result): Outcome<Result> {
  const failed: unknown[] = []
  try {
    const value = storage.transactionSync(() => {
      try {
        return work()
      } catch (error) {
        failed.push(error)
        throw error
      }
    })
    return { value }
  } catch (error) {
    if (failed.includes(error)) return { error }
    throw objectError(error)
  }
}
