import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { runTurns } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore, type Synchronous } from '../bare-store.ts'
import { chartsAlone } from '../charts-alone.ts'
import { timeKindOf, timeOf } from '../stopwatch.ts'
import type { Variant, Workload } from '../workload.ts'

const sizes = [10, 50, 200]

/** One run of so many turns, each with one call; stores are open before it starts. */
export const turns: Workload = {
  name: 'turns',
  unit: 'µs a turn',
  rounds: 9,
  // The compiler goes on optimising for some ten thousand turns.
  warmUp: { size: 200, times: 60 },
  variants: [
    {
      name: 'memory',
      sizes,
      subjects: {
        floor: async (count) => (await timeOf('processor', () => bareLoop({ turns: count }))) / count,
        charts: (count) => chartsAlone(count),
        statewright: async (count) => (await timeOf('processor', () => runTurns(memoryStore(), count))) / count,
      },
    },
    durable('normal'),
    durable('full'),
  ],
}

function durable(synchronous: Synchronous): Variant {
  return {
    name: synchronous,
    sizes,
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: async (count, place) => {
        const store = new BareStore(place.freshFile(), synchronous)
        const keep = (message: object, seq: number) => store.append('run', seq, message)
        const time = await timeOf(timeKindOf(synchronous), () => bareLoop({ turns: count, keep }))
        store.close()
        return time / count
      },
      statewright: async (count, place) => {
        const store = sqliteStore(place.freshFile(), { synchronous })
        const time = await timeOf(timeKindOf(synchronous), () => runTurns(store, count))
        await store.close()
        return time / count
      },
    },
  }
}
