import assert from 'node:assert/strict'
import { z } from 'zod'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { exampleModel } from './model.ts'

const weather = tool({
  name: 'weather',
  description: 'The weather in a city.',
  input: z.object({ city: z.string() }),
  effects: 'none',
  execute: ({ city }) => `Rain in ${city}.`,
})
const script = scripted([{ toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }, 'Take an umbrella.'])
const { model, isScripted } = exampleModel(script)
const agent = createAgent({ name: 'guide', model, tools: [weather] })

const run = agent.start('Weather in Oslo?')
for await (const event of run) if (event.type === 'toolExecution.ended') console.log(event.toolName, event.status)
const { status, text } = await run.result()

assert.equal(status, 'done')
if (isScripted) assert.equal(text, 'Take an umbrella.')
console.log(`${status}: ${text}`)
