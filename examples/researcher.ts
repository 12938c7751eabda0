import assert from 'node:assert/strict'
import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

// A researcher with two assistants: one reads, and the other buys reports, after somebody has agreed to the price.
const buy = tool({
  name: 'buy',
  description: 'Buys a report.',
  input: { type: 'object', properties: { dollars: { type: 'number' } } },
  needs: 'approval',
  execute: () => 'Report: the lamps fail when it is wet.',
})
const calling = (name: string, given: object) => ({ name, arguments: { prompt: 'What is known?', ...given } })
const buying = scripted([{ toolCalls: [calling('buy', { dollars: 12 })] }, 'They fail when it is wet.'])
const reader = createAgent({ name: 'reader', model: scripted(['Two lamps failed in May.']) })
const buyer = createAgent({ name: 'buyer', model: buying, tools: [buy] })
const researcher = createAgent({
  name: 'researcher',
  model: scripted([{ toolCalls: [calling('reader', {}), calling('buyer', {})] }, 'Keep the lamps dry.']),
  tools: [reader.asTool({ description: 'Reads.' }), buyer.asTool({ description: 'Buys reports.' })],
})
const run = researcher.start('Why do the lamps fail?')
const [question] = (await run.settled()).suspended
assert.match(question?.callId ?? '', /\.sub\.1\//)
await run.approve(question?.callId)
const { text, messages } = await run.settled()
assert.deepEqual([text, messages.filter((one) => one.role === 'toolResult').length], ['Keep the lamps dry.', 2])
console.log(messages.map((one) => textOf(one)).join('\n'))
