import { createAgent } from '../src/index.ts'
import type { Model, ModelEvent } from '../src/core/ports/model.ts'
import type { Store } from '../src/core/ports/store.ts'

const delta = 'word '

/** Drives a run of one answer in so many deltas and reads its events; those that a reader falls behind on are joined. */
export async function readDeltas(store: Store, count: number): Promise<void> {
  const agent = createAgent({ name: 'bench', model: streamingModel(count), store, limits: false })
  let text = ''
  for await (const event of agent.start('Go.')) {
    if (event.type !== 'message.updated') continue
    text += event.delta.delta
  }
  if (text !== delta.repeat(count)) throw new Error(`${text.length} characters of ${count} deltas were read.`)
}

/** The least that reads the same deltas. */
export async function bareDeltas(count: number): Promise<void> {
  let text = ''
  for await (const event of streamOf(count)) if (event.type === 'text') text += event.delta
  if (text.length !== count * delta.length) throw new Error(`${text.length} characters were read.`)
}

function streamingModel(count: number): Model {
  return { provider: 'bench', id: 'streaming', stream: () => streamOf(count) }
}

async function* streamOf(count: number): AsyncIterable<ModelEvent> {
  for (let index = 0; index < count; index++) yield { type: 'text', delta }
  yield {
    type: 'finished',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: delta.repeat(count) }],
      stopReason: 'stop',
      model: 'streaming',
      provider: 'bench',
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
      timestamp: 0,
    },
  }
}
