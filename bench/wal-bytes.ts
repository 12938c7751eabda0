import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns } from './agent-turns.ts'
import { bareLoop } from './bare-loop.ts'
import { BareStore } from './bare-store.ts'

/** Bytes that a run of so many turns adds to the log of a new store, checkpoints kept away by an open reader. */
export async function agentWalBytes(turns: number, path: string): Promise<number> {
  const store = sqliteStore(path)
  await store.list()
  const bytes = await withLogKept(path, () => runTurns(store, turns))
  await store.close()
  return bytes
}

/** Bytes that some work adds to the write-ahead log of a store that is open, checkpoints kept away by an open reader. */
export async function withLogKept(path: string, work: () => Promise<void>): Promise<number> {
  const reader = new DatabaseSync(path)
  reader.exec('PRAGMA wal_checkpoint(TRUNCATE); BEGIN; SELECT count(*) FROM sqlite_master')
  reader.prepare('SELECT count(*) FROM sqlite_master').get()
  const before = logSizeOf(path)
  await work()
  const bytes = logSizeOf(path) - before
  reader.close()
  return bytes
}

/** The same of the hand-written loop beside the bare store. */
export async function bareWalBytes(turns: number, path: string): Promise<number> {
  const store = new BareStore(path, 'full')
  store.letLogGrow()
  await bareLoop({ turns, keep: (message, seq) => store.append('run', seq, message) })
  const bytes = logSizeOf(path)
  store.close()
  return bytes
}

/** Bytes of the write-ahead log of a file. */
export function logSizeOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
