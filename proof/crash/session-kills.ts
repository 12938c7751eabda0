import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { SessionState, StoredSession } from '../../src/core/domain/session-state.ts'
import { createAgent } from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore, type SqliteStoreOptions } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { done, logs } from '../../src/testing/stores/store-suite-chain-runs.ts'
import {
  checkpoint,
  driverOf,
  newRun,
  ownerNamed,
  slot,
  start,
  suspendedCall,
  ttl,
} from '../../src/testing/stores/store-suite-fixtures.ts'
import { sessionState, keepSession, inSession } from '../../src/testing/stores/store-suite-sessions.ts'
import { endsOf, rowsIn, type StoreKills } from './store-kills.ts'
import { deleteSession } from '../../src/core/driving/delete-runs.ts'
import { listSessions, findSession } from '../../src/core/driving/find-sessions.ts'
import { userMessage } from '../../src/core/domain/message.ts'

/** The messages to a session between its runs. */
const queued = [{ item: { kind: 'steer', messages: [userMessage('Be brief', 1)] }, at: start + 9 }] as const

/** Each changes a file of three sessions: one of three runs, of which the last waits, one that reads the first, and one without a run. */
const changes: readonly { readonly name: string; run(store: Store): Promise<unknown> }[] = [
  { name: 'queue a message', run: (store) => changed(store, 'one', { queued }) },
  { name: 'change the metadata', run: (store) => changed(store, 'two', { metadata: { text: 'x'.repeat(5000) } }) },
  { name: 'begin a run', run: beginRun },
  { name: 'rotate', run: (store) => guideOf(store).session('two').rotate() },
  { name: 'rotate what has no run', run: (store) => guideOf(store).session('three').rotate() },
  { name: 'steer the run that waits', run: (store) => store.post('c', queued[0].item, start + 9) },
  { name: 'end the run that waits', run: endRun },
  { name: 'delete the last run', run: (store) => store.delete('c') },
  { name: 'delete the session that reads', run: (store) => deleteSession(store, 'two') },
  {
    name: 'delete the session that is read',
    run: (store) => deleteSession(store, 'one', { whereRead: 'keep' }),
  },
]

/**
 * Kills a process after each page that a change of sessions writes to the write-ahead log, and opens what is left: everything
 * stands as before or as after, runs that were not touched read what they read, and once all sessions are deleted nothing is
 * left. With a name, only that change is made.
 */
export async function killSessionWrites(
  change: (store: Store) => Store = (store) => store,
  only?: string,
): Promise<StoreKills> {
  const folder = mkdtempSync(join(tmpdir(), 'kills-'))
  const findings: string[] = []
  let points = 0
  try {
    const path = join(folder, 'before.db')
    const store = sqliteStore(path, at(start))
    await sessions(store)
    const before = await everything(store)
    await store.close()
    for (const { name, run } of changes.filter((one) => only === undefined || one.name === only)) {
      const wal = await walOf(folder, async (kept) => run(change(kept)))
      const after = await stateAfter(folder, wal)
      for (const end of endsOf(wal)) {
        points++
        const problems = await judge(leave(folder, wal.subarray(0, end)), [before, after])
        findings.push(...problems.map((problem) => `${name}, killed after ${end} bytes: ${problem}`))
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { points, findings }
}

async function sessions(store: Store): Promise<void> {
  await changed(store, 'one', { metadata: { plan: 'gold' }, queued })
  for (const [id, before] of [['a'], ['b', 'a']] as const)
    await done(store, id, { ...(await nextRun(store, 'one', id, before)), says: [id, 'more'] })
  const { commit, lease } = await begun(store, 'one', 'c', 'b')
  const asks = slot((seq) => suspendedCall(seq, 'suspension'))
  await commit({ status: 'waiting', entries: [asks, checkpoint('{}')], timers: [{ key: 'expiry', due: start }] })
  await store.release(lease)
  await done(store, 'd', { ...(await nextRun(store, 'two', 'd', 'b')), says: ['d'] })
  for (const id of ['two', 'three']) await changed(store, id, { queued })
}

function guideOf(store: Store) {
  return createAgent({ name: 'guide', model: scripted('Done.'), store })
}

async function begun(store: Store, session: string, id: string, before: string) {
  const lease = await store.create(newRun(id, await nextRun(store, session, id, before)), ownerNamed('first'), ttl)
  const { continues } = await store.read(id)
  return { lease, commit: driverOf(store, lease, { version: 0, seq: continues?.seq ?? 0 }).commit }
}

/** The properties that make a run the next of a session. */
async function nextRun(store: Store, session: string, id: string, before?: string) {
  const found = await findSession(store, session)
  const state = { ...sessionState(session), metadata: found?.metadata ?? {}, lastRun: id, runs: (found?.runs ?? 0) + 1 }
  return {
    ...inSession(state, found?.version ?? 0),
    posted: found?.queued ?? [],
    ...(before === undefined ? {} : { continues: { runId: before } }),
  }
}

async function beginRun(store: Store): Promise<void> {
  await store.create(newRun('e', await nextRun(store, 'two', 'e', 'd')), ownerNamed('first'), ttl)
}

async function endRun(store: Store): Promise<void> {
  const { run, lease } = await store.claim('c', ownerNamed('second'), ttl)
  if (lease === undefined) throw new Error('The run that waits is done.')
  const seq = (run.continues?.seq ?? 0) + 2
  await driverOf(store, lease, { version: run.record.version, seq }).commit({ status: 'done', at: start + 3 * ttl })
}

async function changed(store: Store, id: string, fields: Partial<SessionState>): Promise<void> {
  const found: StoredSession = (await findSession(store, id)) ?? { ...sessionState(id), version: 0 }
  const { version, lastActivity: _, active: __, ...state } = found
  await keepSession(store, { ...state, ...fields }, version, start + 9)
}

/** A store whose leases expire by a clock that stands. */
function at(time: number): SqliteStoreOptions {
  return { clock: { now: () => time } }
}

/** The bytes that a change writes to the write-ahead log. */
async function walOf(folder: string, run: (store: Store) => Promise<unknown>): Promise<Buffer> {
  const path = leave(folder, Buffer.alloc(0))
  const store = sqliteStore(path, at(start + 2 * ttl))
  await run(store)
  const wal = readFileSync(`${path}-wal`)
  await store.close()
  return wal
}

/** The file that is left of a process which had written so much. */
function leave(folder: string, wal: Buffer): string {
  const path = join(folder, 'left.db')
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  copyFileSync(join(folder, 'before.db'), path)
  if (wal.length > 0) writeFileSync(`${path}-wal`, wal)
  return path
}

async function stateAfter(folder: string, wal: Buffer): Promise<unknown> {
  const store = sqliteStore(leave(folder, wal))
  const state = await everything(store)
  await store.close()
  return state
}

async function judge(path: string, whole: readonly unknown[]): Promise<readonly string[]> {
  const store = sqliteStore(path, at(Number.MAX_SAFE_INTEGER))
  const problems: string[] = []
  const state = await everything(store)
  if (!whole.some((one) => isDeepStrictEqual(one, state))) problems.push('a change is there in part')
  for (const { id } of await store.list({ session: 'two' })) {
    const [said] = (await store.read(id)).log
    if (said?.kind !== 'message') problems.push(`run "${id}" is broken`)
  }
  const read = ['two', 'one', 'three']
  const others = (await listSessions(store)).map(({ id }) => id).filter((id) => !read.includes(id))
  for (const id of [...others, ...read]) {
    if ((await findSession(store, id)) !== undefined) await deleteSession(store, id)
  }
  await store.close()
  const rest = rowsIn(path)
  return rest === 0 ? problems : [...problems, `${rest} rows are left of sessions that were deleted`]
}

async function everything(store: Store): Promise<unknown> {
  const listed = await store.list()
  const ids = listed.map(({ id }) => id)
  const inboxes = await Promise.all(ids.map((id) => store.inbox(id, { isOpen: true })))
  return [await listSessions(store), listed, await logs(store, ids), inboxes, await store.due(Number.MAX_SAFE_INTEGER)]
}
