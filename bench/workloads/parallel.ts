import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore } from '../bare-store.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

const sizes = [1, 8, 64, 256]

/** One run of one turn with so many calls at once, and a last answer. */
export const parallel: Workload = {
  name: 'parallel',
  unit: 'µs a call',
  floor:
    'a loop that makes the same calls by one Promise.all and pushes each message onto an array; in a store, it inserts each message in a transaction of its own.',
  rounds: 21,
  warmUp: { size: 64, times: 60 },
  variants: [
    {
      name: 'memory',
      sizes,
      subjects: {
        floor: async (calls) => (await timeOf('processor', () => bareLoop({ turns: 1, calls }))) / calls,
        statewright: async (calls) => (await timeOf('processor', () => runTurns(memoryStore(), 1, calls))) / calls,
      },
    },
    {
      name: 'normal',
      sizes,
      subjects: {
        floor: async (calls, place) => {
          const store = new BareStore(place.freshFile(), 'normal')
          const keep = (message: object, seq: number) => store.append('run', seq, message)
          const time = await timeOf('processor', () => bareLoop({ turns: 1, calls, keep }))
          store.close()
          return time / calls
        },
        statewright: async (calls, place) => {
          const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
          const time = await timeOf('processor', () => runTurns(store, 1, calls))
          await store.close()
          return time / calls
        },
      },
    },
  ],
}
