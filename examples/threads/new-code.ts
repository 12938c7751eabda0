// Runs wait for days. Then new code arrives. You know before the deployment which of them it would break.
// https://github.com/langchain-ai/langgraphjs/pull/2608
import assert from 'node:assert/strict'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { forecast } from '../../src/testing/index.ts'

const store = memoryStore()
const version = (name: string, required: string[], result: string) =>
  createAgent({
    name: 'clerk',
    store,
    model: scripted([{ toolCalls: [{ name: 'send', arguments: { to: 'Ada' } }] }, 'It is out.']),
    tools: [
      tool({
        name,
        description: 'Sends an invoice.',
        input: { type: 'object', required },
        needs: 'approval',
        execute: () => result,
      }),
    ],
  })

await version('send', ['to'], 'Sent.').run('Bill Ada.', { runId: 'bill' })
const outlooks = async (agent: ReturnType<typeof version>) =>
  (await forecast(store, [agent])).groups.map(({ outlook, runIds }) => `${runIds.join()} ${outlook}`)
assert.deepEqual(await outlooks(version('send', ['to', 'currency'], 'Sent.')), ['bill otherwise'])
assert.deepEqual(await outlooks(version('mail', ['to'], 'Sent.')), ['bill otherwise'])
const fixed = version('send', ['to'], 'Sent by the new mail server.')
assert.deepEqual(await outlooks(fixed), [])

const run = await fixed.load('bill')
await run.approve()
assert.equal((await run.settled()).text, 'It is out.')
console.log('two changes would have changed what the waiting run does; the third finished it')
