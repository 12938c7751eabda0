import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { StoreError } from '../../src/core/domain/store-error.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { done, logs } from '../../src/testing/stores/store-suite-chain-runs.ts'
import { start } from '../../src/testing/stores/store-suite-fixtures.ts'

/** The outcome of processes that were killed in the middle of a write. */
export interface StoreKills {
  /** Pages after which one was killed. */
  readonly points: number
  readonly findings: readonly string[]
}

const ids = ['a', 'b', 'c', 'd', 'e']

/** Each changes a file of related runs; what it touches is there as before, or as after, and nothing else changes. */
const changes: readonly { readonly name: string; readonly touches: string; run(store: Store): Promise<unknown> }[] = [
  ...ids.map((id) => ({ name: `delete ${id}`, touches: id, run: (store: Store) => store.delete(id) })),
  ...['c', 'a'].map((runId) => ({
    name: `go on from ${runId}`,
    touches: 'f',
    run: (store: Store) => store.create({ id: 'f', agent: 'a', input: {}, at: start, continues: { runId } }, owner, 0),
  })),
]

const owner = { id: 'killed', host: 'elsewhere', pid: 1, pidStart: '' }

/**
 * Kills a process after each page that a change of related runs writes to the write-ahead log, and opens what is left: a run
 * is there whole or not at all, every other reads what it read, and once all are deleted nothing is left.
 */
export async function killWrites(change: (store: Store) => Store = (store) => store): Promise<StoreKills> {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'))
  const findings: string[] = []
  let points = 0
  try {
    const before = join(folder, 'before.db')
    const store = sqliteStore(before)
    await related(store)
    const whole = new Map(await Promise.all(ids.map(async (id) => [id, await logs(store, [id])] as const)))
    await store.close()
    for (const { name, touches, run } of changes) {
      const path = join(folder, 'changed.db')
      copyFileSync(before, path)
      const changed = change(sqliteStore(path))
      await run(changed)
      const wal = readFileSync(`${path}-wal`)
      const after = await stateOf(changed, touches)
      await changed.close()
      for (const end of endsOf(wal)) {
        points++
        const left = join(folder, 'left.db')
        copyFileSync(before, left)
        writeFileSync(`${left}-wal`, wal.subarray(0, end))
        const found = await judge(left, { touches, whole, after })
        findings.push(...found.map((problem) => `${name}, killed after ${end} bytes: ${problem}`))
        for (const file of [left, `${left}-wal`, `${left}-shm`]) rmSync(file, { force: true })
      }
      for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { points, findings }
}

/** A line of three runs, a second run behind the first, and a fork in the middle of the second. */
async function related(store: Store): Promise<void> {
  await done(store, 'a', { says: ['one', 'two'] })
  await done(store, 'b', { continues: { runId: 'a' }, says: ['b', 'more'] })
  await done(store, 'c', { continues: { runId: 'b' }, says: ['c'] })
  await done(store, 'd', { continues: { runId: 'a' }, says: ['d'] })
  await done(store, 'e', { continues: { runId: 'b', seq: 7 }, says: ['e'], forkedFrom: { runId: 'b', version: 1 } })
}

/** The end of each page of a write-ahead log, and the place before the first. */
export function endsOf(wal: Buffer): readonly number[] {
  const frame = 24 + wal.readUInt32BE(8)
  return Array.from({ length: Math.floor((wal.length - 32) / frame) + 1 }, (_, count) => 32 + count * frame)
}

interface Expected {
  readonly touches: string
  readonly whole: ReadonlyMap<string, unknown>
  readonly after: unknown
}

async function judge(path: string, { touches, whole, after }: Expected): Promise<readonly string[]> {
  const store = sqliteStore(path)
  const problems: string[] = []
  for (const [id, state] of whole) {
    if (id !== touches && !isDeepStrictEqual(await stateOf(store, id), state)) problems.push(`run "${id}" is broken`)
  }
  const touched = await stateOf(store, touches)
  const isBefore = isDeepStrictEqual(touched, whole.get(touches) ?? 'unknown')
  if (!isBefore && !isDeepStrictEqual(touched, after)) problems.push(`run "${touches}" is there in part`)
  for (const { id } of await store.list()) await store.delete(id)
  await store.close()
  const rest = rowsIn(path)
  return rest === 0 ? problems : [...problems, `${rest} rows are left of runs that were deleted`]
}

async function stateOf(store: Store, id: string): Promise<unknown> {
  try {
    return await logs(store, [id])
  } catch (error) {
    if (error instanceof StoreError) return error.code === 'run_unknown' ? 'unknown' : error.message
    throw error
  }
}

/** The number of rows in the tables of a store's file. */
export function rowsIn(path: string): number {
  const database = new DatabaseSync(path)
  const tables = ['runs', 'transcripts', 'inputs', 'log', 'inbox', 'timers']
  const kept = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'record_%'").all()
  const counts = [...tables, ...kept.map(({ name }) => String(name))].map((table) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']),
  )
  database.close()
  return counts.reduce((sum, count) => sum + count, 0)
}
