import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { bareLoop } from '../bare-loop.ts'
import { bareDeltas, readDeltas } from '../read-deltas.ts'
import type { Workload } from '../workload.ts'
import { agentsAtOnce } from './at-once.ts'

/** The longest time in which no timer of the process could fire. */
export const longestBlock: Workload = {
  name: 'longestBlock',
  unit: 'ms',
  rounds: 3,
  variants: [
    {
      name: 'deltas',
      sizes: [1_000_000],
      subjects: {
        floor: (count) => longestBlockOf(() => bareDeltas(count)),
        statewright: (count) => longestBlockOf(() => readDeltas(memoryStore(), count)),
      },
    },
    {
      name: 'atOnce',
      sizes: [1000],
      subjects: {
        floor: (runs) => longestBlockOf(() => loopsAtOnce(runs)),
        statewright: (runs) => longestBlockOf(() => agentsAtOnce(runs)),
      },
    },
  ],
}

async function loopsAtOnce(runs: number): Promise<void> {
  await Promise.all(Array.from({ length: runs }, () => bareLoop({ turns: 5 })))
}

/** Milliseconds between the two ticks that are furthest apart, of a timer that ticks each millisecond. */
async function longestBlockOf(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const ticking = setInterval(tick, 1)
  await work()
  tick()
  clearInterval(ticking)
  return longest
}
