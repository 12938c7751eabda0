import assert from 'node:assert/strict'
import { createAgent, textOf } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const question = 'Weather in Oslo?'
const input = { city: 'Oslo' }

// One conversation in the formats of three programs: a question, a call with its result, and an answer.
const transcripts = {
  'openai-chat': [
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'w1', type: 'function', function: { name: 'weather', arguments: JSON.stringify(input) } }],
    },
    { role: 'tool', tool_call_id: 'w1', content: 'Rain' },
    { role: 'assistant', content: 'It rains.' },
  ],
  anthropic: [
    { role: 'user', content: question },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'w1', name: 'weather', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w1', content: 'Rain' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
  ],
  'ai-sdk': [
    { role: 'user', content: [{ type: 'text', text: question }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'w1', toolName: 'weather', input }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'w1', toolName: 'weather', output: { type: 'text', value: 'Rain' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
  ],
}

for (const [name, messages] of Object.entries(transcripts)) {
  const agent = createAgent({ name: 'guide', model: scripted('Tomorrow it is dry.') })
  const session = agent.session(name)
  const { format, leftOut, repaired } = await session.restore(messages)
  assert.deepEqual({ format, leftOut, repaired }, { format: name, leftOut: [], repaired: [] })

  const run = await session.prompt('And tomorrow?')
  await run.settled()
  const told = (await session.messages()).map(textOf).filter((text) => text !== '')
  assert.deepEqual(told, [question, 'Rain', 'It rains.', 'And tomorrow?', 'Tomorrow it is dry.'])
  console.log(`${format}: ${told.join(' ')}`)
}
