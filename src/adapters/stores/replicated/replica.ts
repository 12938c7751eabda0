import type { DatabaseSync, Session as ChangeSession, SQLInputValue, StatementSync } from 'node:sqlite'
import type { ObjectStorage } from '../durable-object/object-storage.ts'
import { DatabaseSync as Database } from '../sqlite/module.ts'
import type { Change } from './change.ts'

/**
 * A copy of a database in the memory of this process. A change is all that happens to it between `begin` and `keep`.
 */
export class Replica {
  readonly storage: Pick<ObjectStorage, 'sql' | 'transactionSync'>
  readonly #database: DatabaseSync = new Database(':memory:')
  readonly #prepared = new Map<string, StatementSync>()
  readonly #statements: string[] = []
  #session: ChangeSession | undefined
  #depth = 0

  constructor() {
    this.storage = {
      sql: { exec: (text, ...values) => this.#exec(text, values) },
      transactionSync: (work) => this.#transaction(work),
    }
  }

  /** Begins a change. */
  begin(): void {
    this.#database.exec('BEGIN')
    this.#statements.length = 0
    this.#session = this.#database.createSession()
  }

  /** Returns the change so far, or undefined if nothing has changed. */
  changed(): Change | undefined {
    // The rows as they were before are left out: the hash of the journal says that every replica has them.
    const rows = this.#session?.patchset() ?? new Uint8Array()
    return rows.length + this.#statements.length === 0 ? undefined : { statements: [...this.#statements], rows }
  }

  /** Ends the change; it stays. */
  keep(): void {
    this.#end('COMMIT')
  }

  /** Ends the change and takes it back. Returns true if it had made or altered tables. */
  undo(): boolean {
    this.#end('ROLLBACK')
    return this.#statements.length > 0
  }

  /** Makes a change that was made elsewhere. Throws, and changes nothing, if it does not fit. */
  apply({ statements, rows }: Change): void {
    this.#database.exec('BEGIN')
    try {
      for (const statement of statements) this.#database.exec(statement)
      if (rows.length > 0 && !this.#database.applyChangeset(rows)) throw new Error('rows of the change do not fit')
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  /** Returns the change that makes an empty database equal to this one. */
  fold(): Change {
    const made = this.#rows(
      "SELECT name, sql, type FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )
    const tables = made.filter(({ type }) => type === 'table').map(({ name }) => String(name))
    const isCounted = this.#rows("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").length > 0
    const counted = isCounted ? this.#rows('SELECT name, seq FROM sqlite_sequence') : []
    const counters = counted.map(
      ({ name, seq }) => `INSERT INTO sqlite_sequence (name, seq) VALUES ('${String(name)}', ${Number(seq)})`,
    )
    return { statements: [...made.map(({ sql }) => String(sql)), ...counters], rows: this.#rowsOf(tables, made) }
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  /** Returns the rows of tables as one change: copies them into a second database, whose session records them. */
  #rowsOf(tables: readonly string[], made: readonly Record<string, unknown>[]): Uint8Array {
    this.#database.exec("ATTACH ':memory:' AS copy")
    try {
      for (const { sql, type } of made)
        if (type === 'table') this.#database.exec(String(sql).replace(/^CREATE TABLE (?=\w)/, 'CREATE TABLE copy.'))
      const session = this.#database.createSession({ db: 'copy' })
      for (const table of tables) this.#database.exec(`INSERT INTO copy.${table} SELECT * FROM main.${table}`)
      const rows = session.changeset()
      session.close()
      return rows
    } finally {
      this.#database.exec('DETACH copy')
    }
  }

  #rows(text: string): Record<string, unknown>[] {
    return this.#database.prepare(text).all()
  }

  #end(how: 'COMMIT' | 'ROLLBACK'): void {
    this.#session?.close()
    this.#session = undefined
    this.#database.exec(how)
  }

  #exec(text: string, values: readonly unknown[]): { toArray(): Record<string, unknown>[] } {
    if (/^\s*(CREATE|ALTER|DROP)\b/i.test(text)) {
      this.#database.exec(text)
      this.#statements.push(text)
      return { toArray: () => [] }
    }
    let statement = this.#prepared.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text)
      this.#prepared.set(text, statement)
    }
    const rows = statement.all(...(values as SQLInputValue[]))
    return { toArray: () => rows }
  }

  #transaction<Result>(work: () => Result): Result {
    const name = `depth_${this.#depth++}`
    const made = this.#statements.length
    this.#database.exec(`SAVEPOINT ${name}`)
    try {
      const result = work()
      this.#database.exec(`RELEASE ${name}`)
      return result
    } catch (error) {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      this.#statements.length = made
      throw error
    } finally {
      this.#depth--
    }
  }
}
