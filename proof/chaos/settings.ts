import { join } from 'node:path'
import type { Store } from '../../src/core/ports/store.ts'
import type { WorkStore } from '../../src/core/ports/work.ts'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { freshSchema, runSql } from '../support/postgres-subject.ts'
import type { WorkerProcesses } from './worker-processes.ts'

/** Something that goes wrong; done when the workers may go on. */
export interface Fault {
  readonly name: string
  readonly strike: (processes: WorkerProcesses) => Promise<void>
}

/** The store of the runs, and the faults there. */
export interface ChaosPlace {
  /** The argument of `openStore` in every process. */
  readonly address: string
  /** Faults are dealt from these, each as often as it stands here. */
  readonly deck: readonly Fault[]
  readonly close: () => Promise<void>
}

/** A setting of the chaos. */
export interface ChaosSetting {
  /** The store's name for `--stores`. */
  readonly store: string
  readonly name: string
  readonly open: (folder: string) => Promise<ChaosPlace>
}

const kill: Fault = { name: 'kill', strike: (processes) => processes.killOne() }
const stop: Fault = { name: 'stop', strike: (processes) => processes.stopOne() }

/** The settings, in the order they are played in. */
export const settings: readonly ChaosSetting[] = [
  {
    store: 'SQLite',
    name: 'SQLite, many processes',
    open: async (folder) => ({ address: join(folder, 'runs.db'), deck: [kill, stop], close: async () => {} }),
  },
  {
    store: 'Postgres',
    name: 'Postgres, workers killed, stopped past the lease (SIGSTOP), database restarted, its connections cut',
    open: openPostgres,
  },
]

async function openPostgres(): Promise<ChaosPlace> {
  const server = await startPostgres('fsync=on')
  const { stop: end, start: begin } = server
  const address = new URL(server.url)
  const schema = freshSchema()
  address.hash = schema
  const restart: Fault = {
    name: 'restart',
    strike: async () => {
      await end?.()
      await begin?.()
    },
  }
  const cut: Fault = { name: 'cut', strike: async () => void (await runSql(server.url, endConnections)) }
  // A server that others use is not stopped.
  const canRestart = end !== undefined && begin !== undefined
  return {
    address: address.href,
    deck: [kill, stop, cut, kill, stop, canRestart ? restart : cut],
    close: async () => {
      await runSql(server.url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await end?.()
    },
  }
}

const endConnections = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'statewright' AND datname = current_database()`

/** Opens the store of an address: a file, or a database with the schema behind `#`. It waits out a restart. */
export function openStore(address: string): Store & WorkStore {
  if (!address.startsWith('postgres:')) return sqliteStore(address)
  const url = new URL(address)
  const schema = url.hash.slice(1)
  url.hash = ''
  return postgresStore({ connectionString: url.href, schema, patienceMs: 60_000 })
}
