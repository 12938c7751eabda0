import { readFileSync } from 'node:fs'
import { bundleWorker } from '../proof/engines/bundle-worker.ts'
import { hasRestate } from '../proof/engines/restate-server.ts'
import { keptObjects } from '../proof/engines/restate-suites.ts'
import { hasWorkerd, startWorkerd } from '../proof/engines/workerd.ts'
import type { AskedWrite } from '../proof/engines/workers/step-worker.ts'
import { hasPostgres } from '../proof/support/postgres-server.ts'
import { restateStore } from '../src/adapters/hosts/restate/index.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Commit, Store } from '../src/core/ports/store.ts'
import { BareStore } from './bare-store.ts'
import { BarePostgres, freshPlace } from './postgres.ts'
import type { RecordedRun } from './recorded-run.ts'
import type { Place } from './workload.ts'

/** An engine on which our writes and bare ones are measured. */
export interface StepPlace {
  /** Stores a run, and returns how to make a durable step of it. */
  begin(run: RecordedRun): Promise<(commit: Commit) => Promise<unknown>>
  /** Keeps a text in one bare step. */
  bare(id: string, seq: number, commit: Commit): Promise<void> | void
  /** Microseconds of processor time of the engine's own process so far; 0 if it has none, or it cannot be read. */
  cpu(): number
}

/** The installed engines by name, each with a function that starts it. */
export const stepPlaces: Readonly<Record<string, (place: Place) => Promise<StepPlace>>> = {
  SQLite: inSqlite,
  ...(hasPostgres ? { Postgres: inPostgres } : {}),
  ...(hasRestate ? { Restate: inRestate } : {}),
  ...(hasWorkerd ? { 'Durable Object': inObjects } : {}),
}

function onStore(storeOf: (id: string) => Store): StepPlace['begin'] {
  return async ({ run, owner }) => {
    const store = storeOf(run.id)
    await store.create(run, owner, 600_000)
    return (commit) => store.commit(commit)
  }
}

async function inSqlite(place: Place): Promise<StepPlace> {
  const store = sqliteStore(place.freshFile(), { synchronous: 'full' })
  const bare = new BareStore(place.freshFile(), 'full')
  return { begin: onStore(() => store), bare: (...given) => bare.append(...given), cpu: () => 0 }
}

async function inPostgres(): Promise<StepPlace> {
  const store = (await freshPlace()).open()
  const bare = await BarePostgres.open()
  return {
    begin: onStore(() => store),
    bare: (id, ...given) => bare.append(`${process.pid} ${id}`, ...given),
    cpu: () => 0,
  }
}

async function inRestate(place: Place): Promise<StepPlace> {
  const { url, pid, addBare } = await keptObjects(`${place.freshFile()}.restate`)
  await addBare()
  return {
    begin: onStore((object) => restateStore({ ingress: url, object })),
    bare: (id, _, commit) => asked(`${url}/Bare/${id}/append`, { text: JSON.stringify(commit) }),
    cpu: () => cpuOf(pid),
  }
}

async function inObjects(place: Place): Promise<StepPlace> {
  const script = await bundleWorker('proof/engines/workers/step-worker.ts')
  const { url, pid } = await startWorkerd({ folder: `${place.freshFile()}.objects`, script })
  const write = (id: string, body: AskedWrite) => asked(`${url}/${id}`, body)
  return {
    async begin({ run, owner }) {
      await write(run.id, { create: run, owner })
      return (commit) => write(run.id, { commit })
    },
    bare: (id, _, commit) => write(`bare-${id}`, { bare: JSON.stringify(commit) }),
    cpu: () => cpuOf(pid),
  }
}

async function asked(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${text}`)
}

/** Linux counts in hundredths of a second. */
function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
