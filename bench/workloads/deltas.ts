import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { bareDeltas, readDeltas } from '../read-deltas.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

/** One answer in so many deltas, read by somebody who watches the run. */
export const deltas: Workload = {
  name: 'deltas',
  unit: 'µs a delta',
  floor: 'joins the texts of the same deltas, which an async generator yields.',
  rounds: 11,
  warmUp: { size: 100_000, times: 5 },
  variants: [
    {
      name: 'memory',
      sizes: [100_000],
      subjects: {
        floor: async (count) => (await timeOf('processor', () => bareDeltas(count))) / count,
        statewright: async (count) => (await timeOf('processor', () => readDeltas(memoryStore(), count))) / count,
      },
    },
  ],
}
