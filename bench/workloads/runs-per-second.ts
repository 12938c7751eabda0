import { hasPostgres } from '../../proof/support/postgres-server.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { runToEnd } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import type { Synchronous } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { BarePostgres, freshPlace } from '../postgres.ts'
import { timeOf } from '../stopwatch.ts'
import { usedBareStores, usedStores } from '../used-stores.ts'
import type { Variant, Workload } from '../workload.ts'

const turnsEach = 5
const runsInAll = 256

/** Durable runs of five turns a second, so many of them at once, in one store in use. */
export const runsPerSecond: Workload = {
  name: 'runsPerSecond',
  unit: 'runs a second',
  floor:
    'as many loops at once that insert the same messages by one prepared statement, each in a transaction of its own.',
  better: 'more',
  rounds: 9,
  warmUp: { size: 32, times: 6 },
  variants: [durable('normal'), durable('full'), ...(hasPostgres ? [inPostgres()] : [])],
}

function durable(synchronous: Synchronous): Variant {
  return {
    name: synchronous,
    sizes: [32],
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: async (atOnce, place) => {
        const used = await usedBareStores(place, synchronous)
        return rateOf(atOnce, () => {
          const run = `run ${used.runs++}`
          return bareLoop({ turns: turnsEach, keep: (message, seq) => used.first.append(run, seq, message) })
        })
      },
      statewright: async (atOnce, place) => {
        const { first } = await usedStores(place, synchronous)
        const agent = countingAgent({ turns: turnsEach, store: first })
        return rateOf(atOnce, () => runToEnd(agent))
      },
    },
  }
}

/** The same in Postgres, whose server shares the cores with both. */
function inPostgres(): Variant {
  let bare: Promise<BarePostgres> | undefined
  let ours: Promise<Store> | undefined
  let runs = 0
  return {
    name: 'Postgres',
    floor:
      'as many loops at once that insert the same messages by one prepared statement on ten connections, each in a transaction of its own.',
    sizes: [32],
    warmsUp: false,
    subjects: {
      floor: async (atOnce) => {
        bare ??= BarePostgres.open()
        const store = await bare
        return rateOf(atOnce, async () => {
          const run = `run ${process.pid} ${runs++}`
          let kept: Promise<void> = Promise.resolve()
          const keep = (message: object, seq: number) => {
            kept = kept.then(() => store.append(run, seq, message))
          }
          await bareLoop({ turns: turnsEach, keep, gate: () => kept })
          await kept
        })
      },
      statewright: async (atOnce) => {
        ours ??= freshPlace().then(({ open }) => open())
        const agent = countingAgent({ turns: turnsEach, store: await ours })
        return rateOf(atOnce, () => runToEnd(agent))
      },
    },
  }
}

/** Runs a second, so many under way at any time. */
async function rateOf(atOnce: number, play: () => Promise<void>): Promise<number> {
  let started = 0
  const playOn = async () => {
    while (started++ < runsInAll) await play()
  }
  const time = await timeOf('passing', async () => {
    await Promise.all(Array.from({ length: atOnce }, playOn))
  })
  return runsInAll / (time / 1_000_000)
}
