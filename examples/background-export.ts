import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { createWorker } from '../src/core/workers/worker.ts'

const disk = new EventEmitter()
const exported = once(disk, 'exported')
const exporting = tool({
  name: 'export',
  description: 'Exports all orders, which takes long.',
  input: { type: 'object' },
  background: true,
  execute: async () => String((await exported)[0]),
})
const call = { toolCalls: [{ id: 'x', name: 'export', arguments: {} }] }
const model = scripted([call, 'I have begun.', 'We open at nine.', 'Your export is ready.'])
await using agent = createAgent({ name: 'clerk', model, tools: [exporting] })
await using worker = createWorker({ agents: [agent] })
const chat = agent.session('talk')
const first = await chat.prompt('Export my orders.')
await first.settled()
await (await chat.prompt('When do you open?')).settled()
assert.equal((await first.background())[0]?.status, 'running')

const isTold = once(disk, 'told')
agent.on(({ type, runId }) => void (type === 'run.ended' && runId?.endsWith('.3') && disk.emit('told')))
disk.emit('exported', 'orders.csv')
await isTold
const told = (await chat.messages()).slice(-2).map((message) => textOf(message))
assert.deepEqual(told, ["[Result of 'export' (1.x): orders.csv]", 'Your export is ready.'])
console.log(`By worker ${worker.id}: ${told.join(' ')}`)
