import { createAgent } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { model, options } from './before.ts'

// Starts a payment, or goes on with it where another process has left it, and prints what became of it.
const store = sqliteStore(process.argv[2] ?? 'runs.db')
const agent = createAgent({ ...options, model, store })
const run = agent.start('pay Ada 1', { runId: 'once', ifExists: 'attach' })
const { messages, suspended, outcome } = await run.settled()
const [result] = messages.flatMap((message) => (message.role === 'toolResult' ? message.content : []))
console.log(`result: ${result?.type === 'text' ? result.text : 'none'}`)
console.log(`end: ${outcome.reason}; questions to people: ${suspended.length}`)
await agent.close()
await store.close()
