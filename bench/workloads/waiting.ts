import { hasPostgres } from '../../proof/support/postgres-server.ts'
import { waitingCall, waitingId } from '../../proof/support/waiting-runs.ts'
import { currentOwner } from '../../src/core/domain/owner.ts'
import { percentileOf } from '../median.ts'
import { startWatch } from '../stopwatch.ts'
import { type WaitingPlace, waitingPlace } from '../waiting-places.ts'
import type { Place, Variant, Workload } from '../workload.ts'

type Kind = 'SQLite' | 'Postgres'

/** How many runs the floor's store holds. */
const few = 10
const decided = few - 2
const stores: readonly Kind[] = hasPostgres ? ['SQLite', 'Postgres'] : ['SQLite']

/** A store of 100,000 runs that wait for an approval; the floor is the same store of ten. */
export const waiting: Workload = {
  name: 'waiting',
  unit: 'µs, bytes',
  floor: 'the same store with ten runs.',
  rounds: 9,
  warmUp: { size: 10, times: 3 },
  variants: stores.flatMap((kind): readonly Variant[] => [
    of(kind, 'decide', async (runs, place) =>
      percentileOf(await decide(await waitingPlace(kind, runs, { few, place })), 0.5),
    ),
    of(kind, 'claim p99', async (runs, place) =>
      percentileOf(await claim(await waitingPlace(kind, runs, { few, place })), 0.99),
    ),
    of(kind, 'bytes a run', async (runs, place) => (await waitingPlace(kind, runs, { few, place })).bytes / runs),
    of(kind, 'memory', async (runs, place) => {
      await waitingPlace(kind, runs, { few, place })
      globalThis.gc?.()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }),
  ]),
}

function of(kind: Kind, name: string, measure: (runs: number, place: Place) => Promise<number>): Variant {
  const subjects = {
    floor: (_: number, place: Place) => measure(few, place),
    statewright: (runs: number, place: Place) => measure(runs, place),
  }
  return { name: `${kind} ${name}`, sizes: [100_000], subjects }
}

/** Microseconds of each of some decisions. */
async function decide(found: WaitingPlace): Promise<readonly number[]> {
  const times: number[] = []
  for (let count = 0; count < decided; count++) {
    const runId = waitingId(found.next++)
    const read = startWatch('passing')
    const [receipt] = await found.store.decide(runId, [{ target: waitingCall, action: 'resume' }], Date.now())
    times.push(read())
    if (receipt?.answer !== 'applied') throw new Error(`The decision of ${runId} is ${receipt?.answer}.`)
  }
  return times
}

/** Microseconds of each of some claims of a run that was answered; each is given back as it was. */
async function claim({ store }: WaitingPlace): Promise<readonly number[]> {
  const times: number[] = []
  for (let count = 0; count < 50; count++) {
    const query = { agents: ['clerk'], now: Date.now(), limit: 1, owner: currentOwner('bench'), ttlMs: 60_000 }
    const read = startWatch('passing')
    const claimed = await store.claimNext(query)
    times.push(read())
    if (claimed.length !== 1) throw new Error('No run was answered.')
    for (const { lease } of claimed) await store.release(lease)
  }
  return times
}
