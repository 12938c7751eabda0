import { z } from 'zod'
import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/providers/scripted.ts'

const weather = tool({
  name: 'weather',
  description: 'Weather of a city',
  input: z.object({ city: z.string() }),
  output: z.object({ degrees: z.number() }),
  effects: 'none',
  execute: () => ({ degrees: 7 }),
})
const agent = createAgent({
  name: 'guide',
  model: scripted([{ text: 'Let me see.', toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }, 'Cold.']),
  tools: [weather],
})

// A listener hears all runs of the agent. Arguments and output have the types of the tool's schemas.
const cities = new Map<string, string>()
const leave = agent.on((event) => {
  switch (event.type) {
    case 'run.started':
      return console.log(`run of ${event.agent}, in the conversation ${event.subject}`)
    case 'turn.started':
      return console.log(`  turn ${event.turn}, by ${event.trigger}`)
    case 'message.ended':
      return console.log(`    ${event.message.role}: ${textOf(event.message)}`)
    case 'toolExecution.started':
      return void cities.set(event.callId, event.arguments.city)
    case 'toolExecution.ended':
      return console.log(`    ${event.toolName} of ${cities.get(event.callId)}: ${event.output?.degrees} degrees`)
    case 'run.ended':
      return console.log(`${event.outcome.reason} after ${event.messages.length} messages`)
    default:
      return undefined
  }
})

// The same events, as they come: pieces of the answers, put on one line.
let written = ''
for await (const event of agent.start('Oslo?', { runId: 'talk-7' })) {
  if (event.type === 'message.started' && event.role === 'assistant' && written !== '') written += ' '
  if (event.type === 'message.updated' && event.delta.type === 'text') written += event.delta.delta
}
leave()
console.log(`written as it came: ${written}`)
