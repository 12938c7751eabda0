// Two parallel calls of one tool wait. Each gets its own answer, at another time, in another process.
// https://github.com/mastra-ai/mastra/issues/16468
import assert from 'node:assert/strict'
import { z } from 'zod'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const sent: string[] = []
const store = memoryStore()
const newProcess = () =>
  createAgent({
    name: 'clerk',
    store,
    model: scripted([
      { toolCalls: ['Ada', 'Bob'].map((to) => ({ id: to, name: 'send', arguments: { to } })) },
      ({ messages }) => `I see ${messages.filter(({ role }) => role === 'toolResult').length} results.`,
    ]),
    tools: [
      tool({
        name: 'send',
        description: 'Sends an invoice.',
        input: z.object({ to: z.string() }),
        needs: 'approval',
        execute: ({ to }) => `Sent ${sent[sent.push(to) - 1]}.`,
      }),
    ],
    onPartialSuspension: 'wait',
  })

const asked = await newProcess().run('Bill Ada and Bob.', { runId: 'bills' })
const [ada, bob] = asked.suspended.map(({ callId }) => callId)
const first = await newProcess().load('bills')
await first.approve(ada)
assert.equal((await first.settled()).status, 'waiting')
const second = await newProcess().load('bills')
await second.deny(bob, { reason: 'Bob has paid.' })
const { status, text } = await second.settled()
assert.deepEqual([status, text, sent], ['done', 'I see 2 results.', ['Ada']])
console.log('two questions, two answers, one invoice')
