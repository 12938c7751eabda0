// A tool works, asks a person, and works on. What it did before the question is not done again.
// https://github.com/langchain-ai/langgraph/issues/6208
import assert from 'node:assert/strict'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const done: string[] = []
const store = memoryStore()
const book = tool({
  name: 'book',
  description: 'Books a trip.',
  input: { type: 'object' },
  execute: async (_, { step, suspend, decision }) => {
    const offer = await step('search', () => `offer ${done.push('searched')}`)
    if (decision === undefined) return suspend({ message: `Book ${offer}?` })
    const seat = await step('reserve', () => `seat ${done.push('reserved')}`)
    return `Booked ${offer}, ${seat}.`
  },
})
const newProcess = () =>
  createAgent({
    name: 'agency',
    store,
    model: scripted([{ toolCalls: [{ name: 'book', arguments: {} }] }, 'Have a good trip.']),
    tools: [book],
  })

const asked = await newProcess().run('Book a trip.', { runId: 'trip' })
assert.equal(asked.suspended[0]?.suspension?.message, 'Book offer 1?')
const run = await newProcess().load('trip')
await run.approve()
const { status } = await run.settled()
assert.deepEqual([status, done], ['done', ['searched', 'reserved']])
console.log('asked in the middle of a tool; each step was done once')
