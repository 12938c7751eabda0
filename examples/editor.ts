import { appendFileSync } from 'node:fs'
import { createAgent, type Store, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const input = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
const mail = tool({
  name: 'mail',
  description: 'Sends mail.',
  input,
  needs: 'approval',
  execute: (given) => {
    appendFileSync('sent.txt', `${JSON.stringify(given)}\n`)
    return 'It is on its way.'
  },
})
const model = scripted([{ toolCalls: [{ name: 'mail', arguments: { to: 'Ada' } }] }, 'Ada has mail.'])

/** An editor starts it with `statewright acp --agents editor.ts`. */
export const agents = (store: Store) => [createAgent({ name: 'mailer', model, tools: [mail], store })]
