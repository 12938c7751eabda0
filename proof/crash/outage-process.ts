import { once } from 'node:events'
import { join } from 'node:path'
import { createAgent } from '../../src/core/agent/create-agent.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import { openaiChat } from '../../src/adapters/providers/openai-chat/openai-chat.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

const [folder = '', baseURL = '', order = 'start'] = process.argv.slice(2)
const store = sqliteStore(join(folder, 'runs.db'))
const agent = createAgent({
  name: 'cut-off',
  store,
  model: openaiChat('gpt-6-luna', { apiKey: 'key', baseURL }),
  tools: [
    tool({
      name: 'weather',
      description: 'Says the weather, once whoever watches has cut the network.',
      input: { type: 'object' },
      execute: async () => {
        process.send?.({ performed: 'weather' })
        await once(process, 'message')
        return 'It rains.'
      },
    }),
  ],
  onModelFailure: 'wait',
  retry: { maxRetries: 2, initialDelayMs: 1 },
})
const run = order === 'start' ? agent.start('Which weather?', { runId: 'outage' }) : await agent.load('outage')
if (order === 'resume') await run.approve()
let failures = 0
for await (const event of run) if (event.type === 'model.failed') failures++
const { status, outcome, text, suspended } = await run.settled()
const reasons = suspended.map(({ suspension }) => suspension?.reason)
process.send?.({ status, outcome, text, reasons, failures })
await agent.close()
await store.close()
process.disconnect?.()
