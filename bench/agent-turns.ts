import { createAgent } from '../src/index.ts'
import { tool } from '../src/ports/tool.ts'
import type { Model, ModelEvent, ModelRequest } from '../src/ports/model.ts'
import type { Store } from '../src/ports/store.ts'
import { memoryStore } from '../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite/sqlite-store.ts'
import { assistantText, resultText } from './texts.ts'

export type Where =
  | { readonly store: 'memory' }
  | { readonly store: 'sqlite'; readonly path: string; readonly synchronous: 'full' | 'normal' }

/** Microseconds a turn: one run of so many turns, each with one call. */
export async function agentTurns(turns: number, where: Where): Promise<number> {
  const store = where.store === 'memory' ? memoryStore() : sqliteStore(where.path, { synchronous: where.synchronous })
  try {
    const start = process.hrtime.bigint()
    await runTurns(store, turns)
    return Number(process.hrtime.bigint() - start) / 1000 / turns
  } finally {
    await store.close()
  }
}

/** Drives one run of so many turns to its end. */
export async function runTurns(store: Store, turns: number): Promise<void> {
  const agent = createAgent({ name: 'bench', model: countingModel(turns), tools: [echo], store, limits: false })
  const { outcome } = await agent.run('Go.')
  if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
}

const echo = tool({
  name: 'echo',
  description: 'Answers with a text of 1 kB.',
  input: { type: 'object' },
  effects: 'none',
  execute: () => resultText,
})

function countingModel(turns: number): Model {
  return {
    provider: 'bench',
    id: 'counting',
    async *stream({ messages }: ModelRequest): AsyncIterable<ModelEvent> {
      const turn = (messages.length - 1) / 2
      const call = { type: 'toolCall' as const, id: `c${turn}`, name: 'echo', arguments: { turn } }
      const text = { type: 'text' as const, text: assistantText }
      yield {
        type: 'finished',
        message: {
          role: 'assistant',
          content: turn < turns ? [text, call] : [text],
          stopReason: turn < turns ? 'toolUse' : 'stop',
          model: 'counting',
          provider: 'bench',
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
          timestamp: 0,
        },
      }
    },
  }
}
