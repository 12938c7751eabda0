import assert from 'node:assert/strict'
import { createAgent, type Plugin, tool } from '../src/index.ts'
import { hintAfterFailures, redactSecrets } from '../src/core/plugins/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const lookUp = tool({
  name: 'look_up',
  description: 'Looks a customer up.',
  input: { type: 'object' },
  effects: 'none',
  execute: () => 'Ada, card 4929-1234-5678-9000',
})
const refund = tool({
  name: 'refund',
  description: 'Pays back.',
  input: { type: 'object' },
  execute: () => {
    throw new Error('The bank is closed')
  },
})

/** A plugin that allows refunds only after a look-up, and uses a small model until then. */
const lookFirst: Plugin = {
  name: 'look-first',
  beforeModel({ messages, tools, chooseTools, override }) {
    if (messages().some((message) => message.role === 'toolResult' && message.toolName === 'look_up')) return
    chooseTools(tools.filter((name) => name !== 'refund'))
    override({ model: 'scripted/small', temperature: 0 })
  },
}

const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
const replies = [call('refund'), call('look_up'), call('refund'), call('refund'), 'The bank is closed; I try tomorrow.']
const agent = createAgent({
  name: 'clerk',
  model: scripted(replies, { id: 'large' }),
  fallbackModels: [scripted(replies, { id: 'small' })],
  tools: [lookUp, refund],
  plugins: [
    lookFirst,
    hintAfterFailures({ after: 2 }),
    redactSecrets([{ name: 'CARD', value: '4929-1234-5678-9000' }]),
    {
      name: 'showing',
      transformRequest: (request, { model }) => {
        const last = request.messages.at(-1)?.content[0]
        console.log(`${model}: ${last?.type === 'text' ? last.text : last?.type}`)
        return request
      },
    },
  ],
})

const { status, text } = await agent.run('Refund Ada.')
assert.deepEqual({ status, text }, { status: 'done', text: 'The bank is closed; I try tomorrow.' })
