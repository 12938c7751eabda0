import { join } from 'node:path'
import { createWorker } from '../../src/core/workers/worker.ts'
import { chaosParts } from './chaos-agent.ts'
import { payingAgents } from '../support/paying-family.ts'
import { openStore } from '../support/store-place.ts'

const [folder = '', address = '', bug] = process.argv.slice(2)
const store = openStore(address, bug)
const worker = createWorker({
  agents: [...payingAgents(chaosParts(store, join(folder, 'journal')))],
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
