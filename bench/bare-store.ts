import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** How SQLite waits for the disk: in every commit, or hardly ever. */
export type Synchronous = 'full' | 'normal'

/** The least that keeps a conversation: one INSERT a message, prepared, in a table that is its own index. */
export class BareStore {
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #select: StatementSync
  readonly #selectOne: StatementSync
  readonly #selectLast: StatementSync
  readonly #delete: StatementSync

  constructor(path: string, synchronous: Synchronous) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
      CREATE TABLE IF NOT EXISTS messages (
        run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID`)
    this.#insert = this.#database.prepare('INSERT INTO messages (run, seq, body) VALUES (?, ?, ?)')
    this.#select = this.#database.prepare('SELECT body FROM messages WHERE run = ? ORDER BY seq')
    this.#selectLast = this.#database.prepare('SELECT body FROM messages WHERE run = ? ORDER BY seq DESC LIMIT ?')
    this.#delete = this.#database.prepare('DELETE FROM messages WHERE run = ?')
    this.#selectOne = this.#database.prepare('SELECT body FROM messages WHERE run = ? AND seq = ?')
  }

  /** Keeps one message of a run, in a transaction of its own. */
  append(run: string, seq: number, message: object): void {
    this.#insert.run(run, seq, JSON.stringify(message))
  }

  /** The messages of a run. */
  read(run: string): readonly unknown[] {
    return this.#select.all(run).map(({ body }): unknown => JSON.parse(String(body)))
  }

  /** The last messages of a run, at most so many. */
  last(run: string, limit: number): readonly unknown[] {
    const rows = this.#selectLast.all(run, limit).toReversed()
    return rows.map(({ body }): unknown => JSON.parse(String(body)))
  }

  /** Keeps several messages of a run, in one transaction. */
  appendAll(run: string, messages: readonly object[]): void {
    this.#database.exec('BEGIN')
    for (const [index, message] of messages.entries()) this.append(run, index + 1, message)
    this.#database.exec('COMMIT')
  }

  /** Deletes a run, in a transaction of its own. */
  delete(run: string): void {
    this.#delete.run(run)
  }

  /** One message of a run. */
  message(run: string, seq: number): unknown {
    return JSON.parse(String(this.#selectOne.get(run, seq)?.['body']))
  }

  /** Lets the write-ahead log grow, so that its size is what was written. */
  letLogGrow(): void {
    this.#database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    this.#database.close()
  }
}
