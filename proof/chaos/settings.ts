import { runSql } from '../support/postgres-subject.ts'
import { newPlace, type StorePlace } from '../support/store-place.ts'
import type { WorkerProcesses } from './worker-processes.ts'

/** Something that goes wrong; done when the workers may go on. */
export interface Fault {
  readonly name: string
  readonly strike: (processes: WorkerProcesses) => Promise<void>
}

/** The store of the runs, and the faults there. */
export interface ChaosPlace extends StorePlace {
  /** Faults are dealt from these, each as often as it stands here. */
  readonly deck: readonly Fault[]
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
    open: async (folder) => ({ ...(await newPlace('SQLite', folder)), deck: [kill, stop] }),
  },
  {
    store: 'Postgres',
    name: 'Postgres, workers killed, stopped past the lease (SIGSTOP), database restarted, its connections cut',
    open: openPostgres,
  },
]

async function openPostgres(folder: string): Promise<ChaosPlace> {
  const place = await newPlace('Postgres', folder)
  const { stop: end, start: begin, url = '' } = place.server ?? {}
  const restart: Fault = {
    name: 'restart',
    strike: async () => {
      await end?.()
      await begin?.()
    },
  }
  const cut: Fault = { name: 'cut', strike: async () => void (await runSql(url, endConnections)) }
  // A server that others use is not stopped.
  const canRestart = end !== undefined && begin !== undefined
  return { ...place, deck: [kill, stop, cut, kill, stop, canRestart ? restart : cut] }
}

const endConnections = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'statewright' AND datname = current_database()`
