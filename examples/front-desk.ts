import assert from 'node:assert/strict'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

// A desk hands a conversation over to repairs, and gets it back. Both read and write one transcript.
const calling = (name: string) => ({ toolCalls: [{ name, arguments: {} }] })
const model = scripted([
  calling('repairs'),
  'This is repairs: the lamp will be mended on Monday.',
  calling('desk'),
  'This is the desk: that costs ten euros.',
])

const repairs = createAgent({ name: 'repairs', model, instructions: 'You repair lamps.' })
const handsOver = repairs.asHandover({ when: 'Something is broken.' })
const desk = createAgent({ name: 'desk', model, tools: [handsOver], permissions: { rules: { deny: ['shell'] } } })

const chat = desk.session('talk-7')
const speakers: string[] = []
for (const prompt of ['My lamp is broken.', 'What does it cost?']) {
  for await (const event of await chat.prompt(prompt)) if (event.type === 'run.started') speakers.push(event.agent)
}
console.log(speakers.join(', '))
assert.deepEqual(speakers, ['desk', 'desk/repairs', 'desk/repairs', 'desk'])
assert.equal((await chat.messages()).length, 8)
