import { setTimeout as pause } from 'node:timers/promises'
import { statelyInspector } from '../../../../src/adapters/inspect/index.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { clerk } from '../clerk.ts'

// Drives a run that shows itself to a receiver, and hangs in a tool until the process is killed.
const [path = '', runId = '', url = ''] = process.argv.slice(2)
const agent = clerk({
  store: sqliteStore(path),
  inspect: statelyInspector({ url }),
  look: async () => {
    await pause(600_000)
    return 'never'
  },
})
await agent.run('Go', { runId })
