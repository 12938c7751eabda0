import { z } from 'zod'
import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

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

// A listener receives the events of all runs of the agent. Arguments and output have the types of the tool's schemas.
const cities = new Map<string, string>()
const leave = agent.on((event) => {
  const { type } = event
  if (type === 'run.started') console.log(`run of ${event.agent}, in the conversation ${event.subject}`)
  else if (type === 'turn.started') console.log(`  turn ${event.turn}, by ${event.trigger}`)
  else if (type === 'message.ended') console.log(`    ${event.message.role}: ${textOf(event.message)}`)
  else if (type === 'toolExecution.started') cities.set(event.callId, event.arguments.city)
  else if (type === 'toolExecution.ended') {
    console.log(`    ${event.toolName} of ${cities.get(event.callId)}: ${event.output?.degrees} degrees`)
  } else if (type === 'run.ended') {
    console.log(`${event.outcome.reason} after ${event.turns} turns`)
  }
})

// The same events as an iteration; the pieces of the answers are put on one line.
let written = ''
for await (const event of agent.start('Oslo?', { runId: 'talk-7' })) {
  if (event.type === 'message.started' && written !== '') written += ' '
  if (event.type === 'message.updated' && event.delta.type === 'text') written += event.delta.delta
}
leave()
console.log(`written as it came: ${written}`)
