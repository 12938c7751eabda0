import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns, runTurnsByXState } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore, type Synchronous } from '../bare-store.ts'
import { chartsAlone } from '../charts-alone.ts'
import { timeKindOf, timeOf } from '../stopwatch.ts'
import { usedBareStores, usedStores } from '../used-stores.ts'
import type { Variant, Workload } from '../workload.ts'

const sizes = [10, 50, 200]

/** One run of so many turns, each with one call; stores are open before it starts, in use or new. */
export const turns: Workload = {
  name: 'turns',
  unit: 'µs a turn',
  floor:
    'a loop of promises that pushes the same messages onto an array, and for each message runs one prepared INSERT, in a transaction of its own, into a table (run, seq, body) WITHOUT ROWID.',
  rounds: 11,
  // The compiler goes on optimising for some ten thousand turns.
  warmUp: { size: 200, times: 60 },
  variants: [
    {
      name: 'memory',
      floor: 'a loop of promises that pushes the same messages onto an array.',
      sizes,
      subjects: {
        floor: async (count) => (await timeOf('processor', () => bareLoop({ turns: count }))) / count,
        charts: (count) => chartsAlone(count),
        statewright: async (count) => (await timeOf('processor', () => runTurns(memoryStore(), count))) / count,
        xstate: async (count) => (await timeOf('processor', () => runTurnsByXState(memoryStore(), count))) / count,
      },
    },
    inUse('normal'),
    inUse('full'),
    inNewFile('normal'),
    inNewFile('full'),
  ],
}

function inUse(synchronous: Synchronous): Variant {
  return {
    name: synchronous,
    sizes,
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: async (count, place) => {
        const used = await usedBareStores(place, synchronous)
        const run = `run ${used.runs++}`
        const keep = (message: object, seq: number) => used.first.append(run, seq, message)
        return (await timeOf(timeKindOf(synchronous), () => bareLoop({ turns: count, keep }))) / count
      },
      statewright: async (count, place) => {
        const { first } = await usedStores(place, synchronous)
        return (await timeOf(timeKindOf(synchronous), () => runTurns(first, count))) / count
      },
    },
  }
}

function inNewFile(synchronous: Synchronous): Variant {
  return {
    name: `new ${synchronous}`,
    sizes,
    warmsUp: false,
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
