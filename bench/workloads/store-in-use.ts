import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns } from '../agent-turns.ts'
import { timeKindOf, timeOf } from '../stopwatch.ts'
import { usedStores } from '../used-stores.ts'
import type { Synchronous } from '../bare-store.ts'
import type { Variant, Workload } from '../workload.ts'

/** One run of so many turns in a store in use; the floor is the same run in a new file, opened before it starts. */
export const storeInUse: Workload = {
  name: 'storeInUse',
  unit: 'µs a turn',
  floor: 'the same run of ours in a new file that is opened before the clock starts.',
  rounds: 9,
  warmUp: { size: 200, times: 30 },
  variants: [beside('normal'), beside('full')],
}

function beside(synchronous: Synchronous): Variant {
  return {
    name: synchronous,
    sizes: [10, 200],
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: async (turns, place) => {
        const store = sqliteStore(place.freshFile(), { synchronous })
        const time = await timeOf(timeKindOf(synchronous), () => runTurns(store, turns))
        await store.close()
        return time / turns
      },
      statewright: async (turns, place) => {
        const { first } = await usedStores(place, synchronous)
        return (await timeOf(timeKindOf(synchronous), () => runTurns(first, turns))) / turns
      },
    },
  }
}
