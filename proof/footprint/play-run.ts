import { createAgent, tool } from '../../src/index.ts'
import type { Model, ModelEvent } from '../../src/core/ports/model.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const weather = tool({
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: () => 'Rain.',
})

const agent = createAgent({
  name: 'guide',
  model: scripted([
    { text: 'I look.', toolCalls: [{ id: 'a', name: 'weather', arguments: { city: 'Oslo' } }] },
    'It rains in Oslo.',
  ]),
  tools: [weather],
  store: memoryStore(),
})

/** Drives one run of two turns with one tool call, kept in memory, to its end; every run has the same agent. */
export async function playRun(): Promise<void> {
  const { outcome, text } = await agent.run('Weather in Oslo?')
  if (outcome?.reason !== 'natural_end' || text !== 'It rains in Oslo.')
    throw new Error(`The run ended with ${JSON.stringify(outcome)} and "${text}".`)
}

/** Turns of the run that `playTurns` drives. */
export const turnsPlayed = 20

/** Drives one run of many turns with one tool call each to its end; `asked` hears of each turn as its model is asked. */
export async function playTurns(asked: (turn: number) => void): Promise<void> {
  const model: Model = {
    provider: 'footprint',
    id: 'counting',
    async *stream({ messages }): AsyncIterable<ModelEvent> {
      const turn = (messages.length - 1) / 2
      asked(turn)
      const isLast = turn === turnsPlayed
      const call = { type: 'toolCall' as const, id: `c${turn}`, name: 'weather', arguments: { city: `City ${turn}` } }
      yield {
        type: 'finished',
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: 'I look.' }, ...(isLast ? [] : [call])],
          stopReason: isLast ? 'stop' : 'toolUse',
          model: 'counting',
          provider: 'footprint',
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
          timestamp: 0,
        },
      }
    },
  }
  const { outcome } = await createAgent({
    name: 'guide',
    model,
    tools: [weather],
    store: memoryStore(),
    limits: false,
  }).run('Weather everywhere?')
  if (outcome?.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
}
