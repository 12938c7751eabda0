import { join } from 'node:path'
import { createWorker } from '../../src/hosts/worker/worker.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { chaosAgent } from './chaos-agent.ts'

const [folder = ''] = process.argv.slice(2)
const store = sqliteStore(join(folder, 'runs.db'))
const worker = createWorker({
  agents: [chaosAgent(store, join(folder, 'journal'))],
  concurrency: 4,
  pollMs: 250,
  maxFailures: 50,
})
worker.drainOn('SIGTERM')
console.log('ready')
await worker.ended
await store.close()
