import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { assistantMessage, resultMessage } from './texts.ts'

/** Microseconds a turn of the least durable program: the same answers and results, one transaction each. */
export function bareAppend(path: string, turns: number, synchronous: 'full' | 'normal'): Promise<number> {
  const database = open(path, synchronous)
  const start = process.hrtime.bigint()
  append(database, turns)
  const time = Number(process.hrtime.bigint() - start) / 1000 / turns
  database.close()
  return Promise.resolve(time)
}

/** Bytes in the write-ahead log after so many turns, checkpoints off. */
export function bareBytes(path: string, turns: number): Promise<number> {
  const database = open(path, 'full')
  database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  append(database, turns)
  const { size } = statSync(`${path}-wal`)
  database.close()
  return Promise.resolve(size)
}

function open(path: string, synchronous: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
    CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`)
  return database
}

function append(database: DatabaseSync, turns: number): void {
  const insert = database.prepare('INSERT INTO messages (body) VALUES (?)')
  const write = (body: string) => {
    database.exec('BEGIN IMMEDIATE')
    insert.run(body)
    database.exec('COMMIT')
  }
  for (let turn = 0; turn < turns; turn++) {
    write(assistantMessage(turn))
    write(resultMessage(turn))
  }
  write(assistantMessage(undefined))
}
