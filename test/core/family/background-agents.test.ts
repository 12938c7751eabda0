import { expect, test } from 'vitest'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const call = (id: string, name: string, given: object = {}) => ({
  toolCalls: [{ id, name, arguments: given as never }],
})
const ask = call('b', 'reader', { prompt: 'Read.' })

interface Desk {
  readonly agent: Agent
  /** Lets the reader answer. */
  readonly read: () => void
  /** Resolves once the reader's answer has been delivered. */
  readonly delivered: () => Promise<void>
}

/** A desk with a reader, which reads in the background until it is let go. */
function desk(replies: readonly ScriptedReply[], store: Store = memoryStore()): Desk {
  const { promise, resolve } = Promise.withResolvers<string>()
  const reader = createAgent({ name: 'reader', model: scripted(() => promise) })
  const reads = reader.asTool({ description: 'Reads.', background: true })
  const wait = tool({
    name: 'wait',
    description: 'Waits for the reader.',
    input: { type: 'object' },
    execute: async (_: unknown, { runId }) => {
      resolve('Two lamps.')
      await until(store, async () => (await store.inbox(runId, { kinds: ['background'] })).length > 0)
      return 'Waited.'
    },
  })
  const agent = createAgent({ name: 'desk', store, model: scripted(replies), tools: [reads, wait] })
  return { agent, read: () => resolve('Two lamps.'), delivered: async () => undefined }
}

/** Waits for something that is stored. */
async function until(store: Store, isStored: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const unwatch = store.watch(undefined, resolve)
    try {
      if (await isStored()) return
      await promise
    } finally {
      unwatch()
    }
  }
}

const receipt = "[Tool 'reader' runs in the background. Its result will follow as a message.]"
const result = "[Result of 'reader' (1.b): Two lamps.]"

test('TC-10 a sub-agent in the background gives a receipt, and its result is a message before the next turn', async () => {
  const { agent } = desk([ask, call('w', 'wait'), 'I order two lamps.'])
  const { messages, text, status } = await agent.run('Go.', { runId: 'r1' })
  expect([status, text]).toEqual(['done', 'I order two lamps.'])
  expect(messages.map((message) => [message.role, 'content' in message ? message.content : ''])).toEqual([
    ['user', [{ type: 'text', text: 'Go.' }]],
    ['assistant', [expect.objectContaining({ name: 'reader' })]],
    ['toolResult', [{ type: 'text', text: receipt }]],
    ['assistant', [expect.objectContaining({ name: 'wait' })]],
    ['toolResult', [{ type: 'text', text: 'Waited.' }]],
    ['user', [{ type: 'text', text: result }]],
    ['assistant', [{ type: 'text', text: 'I order two lamps.' }]],
  ])
  const childRunId = messages[2]?.role === 'toolResult' ? messages[2].childRunId : undefined
  expect(messages[5]).toMatchObject({ background: { callId: '1.b', childRunId } })
})
