import { createWorker } from '../src/core/workers/worker.ts'
import { openStore } from '../proof/support/store-place.ts'
import { waitingAgent } from '../proof/support/waiting-runs.ts'
import { countingAgent } from './counting-agent.ts'

/** What a worker process tells: how much processor time it has used when it is asked, or that it has begun a run. */
export type WorkerTold =
  | { readonly type: 'ready' }
  | { readonly type: 'used'; readonly us: number }
  | { readonly type: 'claimed'; readonly at: number }

const [address = '', concurrency = '8'] = process.argv.slice(2)
const store = openStore(address)
const agents = [countingAgent({ turns: 5, store }), waitingAgent(store)]
const worker = createWorker({ agents, concurrency: Number(concurrency) })
const tell = (told: WorkerTold) => process.send?.(told)
worker.on(({ type }) => {
  // The clock is the same for all processes of a machine.
  if (type === 'claimed') tell({ type: 'claimed', at: performance.timeOrigin + performance.now() })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  tell({ type: 'used', us: user + system })
})
process.once('disconnect', () => process.exit())
tell({ type: 'ready' })
