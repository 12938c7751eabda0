import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { runToEnd } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { countingAgent } from '../counting-agent.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

const turnsEach = 5

/** So many runs of five turns, all started at once in one process and kept in memory. */
export const atOnce: Workload = {
  name: 'atOnce',
  unit: 'µs a turn',
  floor: 'as many loops of promises at once that push the same messages onto an array each, and keep nothing.',
  rounds: 9,
  warmUp: { size: 1000, times: 2 },
  variants: [
    {
      name: 'memory',
      sizes: [1000],
      subjects: {
        floor: async (runs) => {
          const loops = () => all(runs, () => bareLoop({ turns: turnsEach }))
          return (await timeOf('processor', loops)) / (runs * turnsEach)
        },
        statewright: async (runs) => (await timeOf('processor', () => agentsAtOnce(runs))) / (runs * turnsEach),
      },
    },
  ],
}

/** Starts so many runs of one agent at once and waits for all of them. */
export async function agentsAtOnce(runs: number): Promise<void> {
  const agent = countingAgent({ turns: turnsEach, store: memoryStore() })
  await all(runs, () => runToEnd(agent))
}

async function all(count: number, start: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, start))
}
