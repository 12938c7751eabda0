import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'

const agent = createAgent({
  name: 'guide',
  model: scripted([
    { text: 'I look.', toolCalls: [{ id: 'a', name: 'weather', arguments: { city: 'Oslo' } }] },
    'It rains in Oslo.',
  ]),
  tools: [
    tool({
      name: 'weather',
      description: 'Tells the weather of a city.',
      input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execute: () => 'Rain.',
    }),
  ],
  store: memoryStore(),
})

/** Drives one run of two turns with one tool call, kept in memory, to its end; every run has the same agent. */
export async function playRun(): Promise<void> {
  const { outcome, text } = await agent.run('Weather in Oslo?')
  if (outcome?.reason !== 'natural_end' || text !== 'It rains in Oslo.')
    throw new Error(`The run ended with ${JSON.stringify(outcome)} and "${text}".`)
}
