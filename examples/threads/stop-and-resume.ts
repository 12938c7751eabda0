// A tab closes in the middle of an answer, comes back, reads on, and stops. Stop reaches the model call itself.
// https://github.com/vercel/ai/issues/6502
import assert from 'node:assert/strict'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'

let isAborted = false
const inner = scripted([{ text: 'A long answer. '.repeat(20), chunks: 20 }])
const agent = createAgent({
  name: 'writer',
  model: {
    ...inner,
    async *stream(request) {
      const aborted = new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      for await (const event of inner.stream(request)) {
        yield event
        await aborted // It writes one piece, and then nothing until it is stopped.
        isAborted = true
        throw new Error('The model call was ended.')
      }
    },
  },
})
const { fetch } = createChatHandlers(agent, { authorize: () => true })
const headers = { 'content-type': 'application/json' }
const ask = (method: string, path: string, body?: object) =>
  fetch(new Request(`http://page.example${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }))

const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Write.' }] }
const tab = (await ask('POST', '/', { id: 'chat', trigger: 'submit-message', messages: [message] })).body?.getReader()
await tab?.read()
await tab?.cancel()
const again = await ask('GET', '/chat/stream')
const { receipt } = (await (await ask('POST', '/chat/stop')).json()) as { receipt: { answer: string } }
const seen = await again.text()
assert.deepEqual([receipt.answer, isAborted], ['applied', true])
assert.ok(seen.includes('A long answer.') && seen.includes('[DONE]'))
console.log('the second tab read the answer from its start; stop ended the model call')
