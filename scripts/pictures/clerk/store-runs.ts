import { createAgent } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { model, options } from './before.ts'

// Stores runs of the clerk in the file that is named: two that are done, and three that wait.
const store = sqliteStore(process.argv[2] ?? 'runs.db')
const agent = createAgent({ ...options, model, store })
const runs = { ada: 'pay Ada 5', bob: 'pay Bob 7', eve: 'refund Eve 3', small: 'pay Ada 1', dan: 'pay Dan 9' }
for (const [runId, prompt] of Object.entries(runs)) {
  const run = agent.start(prompt, { runId })
  await run.settled()
  if (runId !== 'dan') continue
  await run.approve(undefined, { by: 'ann' })
  await run.settled()
}
await agent.close()
await store.close()
