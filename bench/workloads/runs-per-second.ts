import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { runToEnd } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore, type Synchronous } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { timeOf } from '../stopwatch.ts'
import type { Variant, Workload } from '../workload.ts'

const turnsEach = 5
const runsInAll = 256

/** Durable runs of five turns a second, so many of them at once, on one file. */
export const runsPerSecond: Workload = {
  name: 'runsPerSecond',
  unit: 'runs a second',
  better: 'more',
  rounds: 7,
  warmUp: { size: 32, times: 6 },
  variants: [durable('normal'), durable('full')],
}

function durable(synchronous: Synchronous): Variant {
  return {
    name: synchronous,
    sizes: [32],
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: async (atOnce, place) => {
        const store = new BareStore(place.freshFile(), synchronous)
        const keepIn = (run: string) => (message: object, seq: number) => store.append(run, seq, message)
        const rate = await rateOf(atOnce, (run) => bareLoop({ turns: turnsEach, keep: keepIn(run) }))
        store.close()
        return rate
      },
      statewright: async (atOnce, place) => {
        const store = sqliteStore(place.freshFile(), { synchronous })
        const agent = countingAgent({ turns: turnsEach, store })
        const rate = await rateOf(atOnce, () => runToEnd(agent))
        await store.close()
        return rate
      },
    },
  }
}

/** Runs a second, so many under way at any time. */
async function rateOf(atOnce: number, play: (run: string) => Promise<void>): Promise<number> {
  let started = 0
  const playOn = async () => {
    while (started < runsInAll) await play(`run ${started++}`)
  }
  const time = await timeOf('passing', async () => {
    await Promise.all(Array.from({ length: atOnce }, playOn))
  })
  return runsInAll / (time / 1_000_000)
}
