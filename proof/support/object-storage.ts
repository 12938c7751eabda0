import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { ObjectStorage } from '../../src/adapters/stores/durable-object/object-storage.ts'

/** An object's storage in Node's SQLite, with the limits that workerd has, for tests without workerd. */
export interface LocalStorage extends ObjectStorage {
  readonly database: DatabaseSync
  /** The time of the alarm; undefined if none is set. */
  readonly alarm: number | undefined
  /** The number of alarms that were set or removed. */
  readonly alarms: number
  /** Clears the alarm, as the platform does when it calls the object. */
  goOff(): void
}

/** Opens the storage of an object in a file; the same file again is the next life of that object. */
export function localStorage(path = ':memory:'): LocalStorage {
  const database = new DatabaseSync(path)
  let depth = 0
  let alarm: number | undefined
  let alarms = 0

  function transactionSync<Result>(work: () => Result): Result {
    const name = `depth_${depth++}`
    database.exec(`SAVEPOINT ${name}`)
    try {
      const result = work()
      database.exec(`RELEASE ${name}`)
      return result
    } catch (error) {
      database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      throw error
    } finally {
      depth--
    }
  }

  async function setTo(at: number | undefined): Promise<void> {
    alarm = at
    alarms++
  }

  return {
    database,
    sql: {
      exec(statement, ...values) {
        const rows = rowsOf(database, statement, values)
        return { toArray: () => rows }
      },
    },
    transactionSync,
    setAlarm: setTo,
    deleteAlarm: () => setTo(undefined),
    goOff() {
      alarm = undefined
    },
    get alarm() {
      return alarm
    },
    get alarms() {
      return alarms
    },
  }
}

function rowsOf(database: DatabaseSync, statement: string, values: readonly unknown[]): Record<string, unknown>[] {
  if (/^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/i.test(statement)) throw new Error('use transactionSync() instead')
  if (/^\s*PRAGMA (?!data_version)/i.test(statement)) throw new Error('not authorized: SQLITE_AUTH')
  if (values.length > 100) throw new Error('too many SQL variables: SQLITE_ERROR')
  if (values.some((value) => typeof value === 'string' && value.length > 2_000_000))
    throw new Error('string or blob too big: SQLITE_TOOBIG')
  if (values.some((value) => typeof value === 'bigint')) throw new TypeError('a BigInt is no value of an object')
  if (!statement.includes(';')) return database.prepare(statement).all(...(values as SQLInputValue[]))
  database.exec(statement)
  return []
}
