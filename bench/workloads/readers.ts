import { nextLoopTurn } from '../../src/core/domain/text/platform.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { BareStore } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { heapRiseDuring } from '../memory-rise.ts'
import { assistantMessage, resultMessage } from '../texts.ts'
import type { Place, Workload } from '../workload.ts'

const turns = 40
const text = 'x'.repeat(100_000)

/** How far the heap of this process grows, garbage and all, while so many readers read the stored events of one run of 8 MB, all at once. */
export const readers: Workload = {
  name: 'readers',
  unit: 'MB of heap',
  floor:
    'as many readers that select the same messages one by one by their key, and let the event loop turn behind each.',
  rounds: 1,
  variants: [
    {
      name: 'stored events',
      sizes: [300],
      subjects: { floor: bareReaders, statewright: eventReaders },
    },
  ],
}

async function eventReaders(count: number, place: Place): Promise<number> {
  const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
  const agent = countingAgent({ turns, store, text })
  const { runId } = await agent.run('Go.')
  const read = async () => {
    let last = 0
    for await (const { seq } of (await agent.load(runId)).events({ deltas: false })) last = seq
    if (last < 5 * turns) throw new Error(`A reader read ${last} events; expected at least ${5 * turns}.`)
  }
  const rise = await heapRiseDuring(async () => void (await Promise.all(Array.from({ length: count }, read))))
  await store.close()
  return rise
}

async function bareReaders(count: number, place: Place): Promise<number> {
  const store = new BareStore(place.freshFile(), 'normal')
  for (let turn = 0; turn < turns; turn++) {
    store.append('run', 2 * turn, { ...assistantMessage(turn, 1), text })
    store.append('run', 2 * turn + 1, { ...resultMessage(turn, 0), text })
  }
  const read = async () => {
    for (let seq = 0; seq < 2 * turns; seq++) {
      store.message('run', seq)
      await nextLoopTurn()
    }
  }
  const rise = await heapRiseDuring(async () => void (await Promise.all(Array.from({ length: count }, read))))
  store.close()
  return rise
}
