import { createAgent, StoreError } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

/** A process that does little but commit: one run after the other, by a model that answers at once. It tells the time of a run. */
const [path = '', synchronous] = process.argv.slice(2)
const store = sqliteStore(path, { synchronous: synchronous === 'normal' ? 'normal' : 'full' })
const agent = createAgent({ name: 'busy', model: scripted('Done.'), store })
const first = 200
const measured = 500
process.stdin.on('end', () => process.exit(0)).resume()
let startedAt = 0
for (let run = 0; ; run++) {
  await agent.run('Go.').catch((error: unknown) => {
    // The measuring process holds the file's lock for a moment.
    if (!(error instanceof StoreError) || error.code !== 'store_busy') throw error
  })
  if (run === first) startedAt = performance.now()
  if (run === first + measured) console.log(`${(performance.now() - startedAt) / measured}`)
}
