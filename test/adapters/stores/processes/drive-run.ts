import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createAgent, tool } from '../../../../src/index.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'

// Drives a run whose tool says `running`, and ends when it is told a line; then says how the run stands.
const [path = '', runId = ''] = process.argv.slice(2)
const input = createInterface({ input: process.stdin })
const store = sqliteStore(path)
const agent = createAgent({
  name: 'test',
  model: scripted([{ toolCalls: [{ id: 'c1', name: 'held', arguments: {} }] }, 'Done by the child']),
  store,
  tools: [
    tool({
      name: 'held',
      description: 'Waits for a line.',
      input: { type: 'object' },
      effects: 'idempotent',
      async execute() {
        process.stdout.write('running\n')
        await once(input, 'line')
        return 'held done'
      },
    }),
  ],
})
const { status } = await agent.run('Hi', { runId })
process.stdout.write(`${status}\n`)
input.close()
await store.close()
