import { copyFileSync } from 'node:fs'
import { pruneRuns, userMessage } from '../../src/index.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { BareStore } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { kilobyte } from '../filled-runs.ts'
import { timeOf } from '../stopwatch.ts'
import type { Place, Workload } from '../workload.ts'

/** Deletes all runs of a session, each of which goes on from the one before, the newest first. */
export const pruning: Workload = {
  name: 'pruning',
  unit: 'µs a run',
  floor:
    'one prepared DELETE of the two messages of a run from a table (run, seq, body) WITHOUT ROWID, in a transaction of its own.',
  rounds: 5,
  warmUp: { size: 100, times: 3 },
  variants: [
    {
      name: 'session',
      sizes: [100, 1000],
      subjects: {
        floor: async (runs, place) => {
          const store = new BareStore(place.freshFile(), 'normal')
          for (let run = 0; run < runs; run++)
            for (const seq of [1, 2]) store.append(`run ${run}`, seq, userMessage(kilobyte, 1e12))
          const time = await timeOf('processor', () => {
            for (let run = runs - 1; run >= 0; run--) store.delete(`run ${run}`)
          })
          store.close()
          return time / runs
        },
        statewright: async (runs, place) => {
          const path = place.freshFile()
          copyFileSync(await sessionFile(runs, place), path)
          const store = sqliteStore(path, { synchronous: 'normal' })
          let pruned = 0
          const time = await timeOf('processor', async () => {
            pruned = (await pruneRuns(store, { before: Number.MAX_SAFE_INTEGER })).length
          })
          await store.close()
          if (pruned !== runs) throw new Error(`${pruned} runs were pruned; expected ${runs}.`)
          return time / runs
        },
      },
    },
  ],
}

const files = new Map<number, Promise<string>>()

/** The file of a store that holds a session of so many runs, each of one prompt and its answer. */
function sessionFile(runs: number, place: Place): Promise<string> {
  const known = files.get(runs) ?? fill(runs, place.freshFile())
  files.set(runs, known)
  return known
}

async function fill(runs: number, path: string): Promise<string> {
  const store = sqliteStore(path, { synchronous: 'normal' })
  const talk = countingAgent({ turns: 0, store, text: kilobyte }).session('bench')
  for (let run = 0; run < runs; run++) await (await talk.prompt(kilobyte)).settled()
  await store.close()
  return path
}
