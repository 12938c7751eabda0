import { createAgent, type Plugin, textOf } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

/** Rejects messages that contain a key, and adds a warning for the model to messages in capital letters. */
const noKeys: Plugin = {
  name: 'no-keys',
  filterInput: (messages) =>
    messages.some((message) => /\bsk-\w+/.test(textOf(message))) ? { reject: 'It holds a key.' } : undefined,
}
const calm: Plugin = {
  name: 'calm',
  filterInput: (messages) =>
    messages.some((message) => textOf(message).includes('!!')) ? { warn: 'They are upset.' } : undefined,
}

const replies = Array.from({ length: 2 }, () => 'Let me help.')
const agent = createAgent({ name: 'desk', model: scripted(replies), plugins: [noKeys, calm] })

for (const prompt of ['My lamp is broken!!', 'My key is sk-1234, my lamp is broken.']) {
  const { outcome, rejection, messages } = await agent.run(prompt)
  const heard = messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []))
  console.log(`${outcome.code ?? outcome.reason}: ${rejection?.reason ?? heard.join()}`)
}
