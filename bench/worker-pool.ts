import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openStore } from '../proof/support/store-place.ts'
import { storeFirstWaiting } from '../proof/support/waiting-runs.ts'
import type { Store } from '../src/core/ports/store.ts'
import { freshPlace } from './postgres.ts'
import type { WorkerTold } from './worker-process.ts'
import type { Place } from './workload.ts'

/** A store, and worker processes that drive what is stored in it. */
export interface WorkerPool {
  readonly store: Store
  readonly workers: readonly ChildProcess[]
  readonly address: string
  runs: number
}

const pools = new Map<string, Promise<WorkerPool>>()

/** So many workers of 32 places in all on one store; one pool a process, and no other beside it. */
export async function workerPool(kind: 'SQLite' | 'Postgres', count: number, place: Place): Promise<WorkerPool> {
  const key = `${kind} ${count}`
  for (const [other, pool] of pools) if (other !== key) await end(other, await pool)
  const known = pools.get(key) ?? begin(kind, count, place)
  pools.set(key, known)
  return known
}

async function begin(kind: 'SQLite' | 'Postgres', count: number, place: Place): Promise<WorkerPool> {
  const address = kind === 'SQLite' ? place.freshFile() : await freshAddress()
  const store = openStore(address)
  await storeFirstWaiting(store)
  const program = new URL('worker-process.ts', import.meta.url)
  const workers = Array.from({ length: count }, () =>
    fork(program, [address, String(32 / count)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  )
  await Promise.all(workers.map((worker) => heard(worker, 'ready')))
  return { store, workers, address, runs: 0 }
}

async function freshAddress(): Promise<string> {
  const { url, schema } = await freshPlace()
  return `${url}#${schema}`
}

async function end(key: string, { store, workers }: WorkerPool): Promise<void> {
  for (const worker of workers) worker.disconnect()
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  await store.close()
  pools.delete(key)
}

/** The next thing of a kind that a worker tells. */
export async function heard<Type extends WorkerTold['type']>(
  worker: ChildProcess,
  type: Type,
): Promise<Extract<WorkerTold, { readonly type: Type }>> {
  return new Promise((resolve) => {
    const hear = (told: WorkerTold) => {
      if (!isOf(told, type)) return
      worker.off('message', hear)
      resolve(told)
    }
    worker.on('message', hear)
  })
}

function isOf<Type extends WorkerTold['type']>(
  told: WorkerTold,
  type: Type,
): told is Extract<WorkerTold, { readonly type: Type }> {
  return told.type === type
}
