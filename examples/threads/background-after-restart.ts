// An export runs in the background, and its process ends. The next process does the work and delivers the result once.
// https://github.com/anthropics/claude-code/issues/75438
import assert from 'node:assert/strict'
import { createAgent, textOf, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { createWorker } from '../../src/core/workers/worker.ts'

const store = memoryStore()
const replies = [{ toolCalls: [{ id: 'x', name: 'export', arguments: {} }] }, 'I have begun.', 'It is ready.']
const newProcess = (execute: (signal: AbortSignal) => Promise<string>) => {
  const exporting = tool({
    name: 'export',
    description: 'Exports all orders, which takes long.',
    input: { type: 'object' },
    background: true,
    effects: 'idempotent',
    execute: (_, { signal }) => execute(signal),
  })
  return createAgent({ name: 'clerk', store, model: scripted(replies), tools: [exporting] })
}

const first = newProcess((signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)))
const begun = await first.session('talk').prompt('Export my orders.', { drive: false })
for await (const { type } of begun) if (type === 'turn.ended') break
await first.close()

await using second = newProcess(async () => 'orders.csv')
await using worker = createWorker({ agents: [second] })
const texts = async () => (await second.session('talk').messages()).map(textOf)
await new Promise<void>((resolve) => {
  second.on(
    ({ type }) => void (type === 'run.ended' && texts().then((all) => all.at(-1) === 'It is ready.' && resolve())),
  )
})
await worker.drain()
const told = await texts()
assert.equal(told.filter((text) => text.includes('orders.csv')).length, 1)
console.log(`the next process exported and said: ${told.at(-1)}`)
