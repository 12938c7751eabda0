import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns } from './agent-turns.ts'
import { bareLoop } from './bare-loop.ts'
import { BareStore, type Synchronous } from './bare-store.ts'
import type { Place } from './workload.ts'

/**
 * Messages in a store in use: what the engine writes in a minute where each commit waits for the disk (45,000 on two
 * shared cores). Counted, not timed, so that every machine measures the same file.
 */
const messagesInUse = 40_000

/** Messages that are then written as they will be measured, so that the write-ahead log has come round. */
const messagesOfRound = 2_000

const turnsEach = 50
const messagesEach = 2 * turnsEach + 2

/** Two connections to one file that has been written to for a while, one for each process that would have one. */
export interface UsedStores<Kind> {
  readonly first: Kind
  readonly second: Kind
  /** How many runs there are; the number of the next one. */
  runs: number
}

const bareStores = new Map<Synchronous, UsedStores<BareStore>>()
const stores = new Map<Synchronous, Promise<UsedStores<Store>>>()

/** The barest store in use; one file a process, whoever measures it next finds it fuller. */
export async function usedBareStores(place: Place, synchronous: Synchronous): Promise<UsedStores<BareStore>> {
  const known = bareStores.get(synchronous)
  if (known !== undefined) return known
  const path = place.freshFile()
  let runs = 0
  const write = async (store: BareStore, messages: number) => {
    for (let written = 0; written < messages; written += messagesEach) {
      const run = `run ${runs++}`
      await bareLoop({ turns: turnsEach, keep: (message, seq) => store.append(run, seq, message) })
    }
  }
  const filling = new BareStore(path, 'normal')
  await write(filling, messagesInUse)
  filling.close()
  const used = { first: new BareStore(path, synchronous), second: new BareStore(path, synchronous), runs: 0 }
  await write(used.first, messagesOfRound)
  used.second.read('run 0')
  used.runs = runs
  bareStores.set(synchronous, used)
  return used
}

/** The engine's store in use, of as many messages. */
export function usedStores(place: Place, synchronous: Synchronous): Promise<UsedStores<Store>> {
  const known = stores.get(synchronous) ?? openUsed(place.freshFile(), synchronous)
  stores.set(synchronous, known)
  return known
}

async function openUsed(path: string, synchronous: Synchronous): Promise<UsedStores<Store>> {
  let runs = 0
  const write = async (store: Store, messages: number) => {
    for (let written = 0; written < messages; written += messagesEach, runs++) await runTurns(store, turnsEach)
  }
  const filling = sqliteStore(path, { synchronous: 'normal' })
  await write(filling, messagesInUse)
  await filling.close()
  const first = sqliteStore(path, { synchronous })
  const second = sqliteStore(path, { synchronous })
  await write(first, messagesOfRound)
  await second.list({ limit: 1 })
  return { first, second, runs }
}
