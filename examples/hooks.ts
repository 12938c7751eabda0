import assert from 'node:assert/strict'
import { createAgent, type Plugin, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const journal: string[] = []

const began = new Map<string, number>()
/** A plugin that stops deletions, hides card numbers, and measures the time of every tool. */
const watcher: Plugin = {
  name: 'watcher',
  beforeTool: ({ call }) => {
    if (call.toolName === 'delete_order') return false
    began.set(call.callId, performance.now())
    return true
  },
  beforeUpdate: ({ text }) => !/\d{16}/.test(text),
  afterTool: ({ call: { toolName, callId, result } }) => {
    const ms = performance.now() - (began.get(callId) ?? Number.NaN)
    assert.ok(ms >= 0)
    journal.push(`${toolName} ${result?.isError === true ? 'failed' : 'succeeded'}`)
  },
}

const input = { type: 'object' } as const
const readOrder = tool({
  name: 'read_order',
  description: 'Reads an order.',
  input,
  execute: (_, { update }) => {
    update('Order 7: two lamps.')
    update('Paid by card 4111111111111111.')
    return 'Two lamps, paid.'
  },
})
const deleteOrder = tool({ name: 'delete_order', description: 'Deletes an order.', input, execute: () => 'Deleted.' })

const toolCalls = ['read_order', 'delete_order'].map((name) => ({ name, arguments: {} }))
const model = scripted([{ toolCalls }, 'I read the order. I may not delete it.'])
const run = createAgent({
  name: 'clerk',
  model,
  tools: [readOrder, deleteOrder],
  plugins: [watcher],
}).start('Delete order 7.')
for await (const event of run) {
  if (event.type === 'toolExecution.updated') console.log(`${event.toolName} tells: ${String(event.partial)}`)
  if (event.type !== 'message.ended' || event.message.role !== 'toolResult') continue
  const [block] = event.message.content
  console.log(`${event.message.toolName}: ${block?.type === 'text' ? block.text : ''}`)
}
const { status, text } = await run.result()
assert.deepEqual({ status, journal }, { status: 'done', journal: ['read_order succeeded'] })
console.log(`${status}: ${text}`)
