import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '../src/stores/sqlite/sqlite-store.ts'
import { runTurns } from './agent-turns.ts'

/** Bytes a run of so many turns adds to the write-ahead log, checkpoints kept away by an open reader. */
export async function walBytes(path: string, turns: number): Promise<number> {
  const store = sqliteStore(path)
  await store.list()
  const reader = new DatabaseSync(path)
  reader.exec('PRAGMA wal_checkpoint(TRUNCATE); BEGIN; SELECT count(*) FROM sqlite_master')
  reader.prepare('SELECT count(*) FROM sqlite_master').get()
  const before = sizeOf(path)
  await runTurns(store, turns)
  const bytes = sizeOf(path) - before
  reader.close()
  await store.close()
  return bytes
}

function sizeOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
