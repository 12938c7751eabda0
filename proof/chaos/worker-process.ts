import { join } from 'node:path'
import { createWorker } from '../../src/core/workers/worker.ts'
import { chaosAgents } from './chaos-agent.ts'
import { plantBug } from './planted-bugs.ts'
import { openStore } from './settings.ts'

const [folder = '', address = '', bug] = process.argv.slice(2)
const store = plantBug(openStore(address), bug)
const worker = createWorker({
  agents: [...chaosAgents(store, join(folder, 'journal'))],
  concurrency: 4,
  pollMs: 250,
  maxFailures: 50,
})
worker.drainOn('SIGTERM')
// Nobody else would end it where the chaos itself is killed.
process.stdin.on('end', () => process.exit(1)).resume()
process.stdin.unref()
console.log('ready')
await worker.ended
await store.close()
