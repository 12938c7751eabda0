import { dirname } from 'node:path'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

/** A process to be killed: its run hangs in a tool that may have done half its work. */
const [file = ''] = process.argv.slice(2)
const keepAlive = setInterval(() => {}, 1_000)
const hanging = tool({
  name: 'write_file',
  description: 'Hangs',
  input: { type: 'object' },
  effects: 'once',
  execute: async (_input, { runId }) => {
    process.stdout.write(`${runId}\n`)
    await new Promise(() => {})
    clearInterval(keepAlive)
    return null
  },
})
const given = { path: 'note.md', content: 'written once\n' }
const agent = createAgent({
  name: 'statewright',
  model: scripted([{ toolCalls: [{ name: 'write_file', arguments: given }] }]),
  tools: [hanging],
  store: sqliteStore(file),
})
await agent.run('Write a note', { labels: { root: dirname(dirname(file)), model: 'scripted/scripted' } })
