import assert from 'node:assert/strict'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

// Three drafts and a judge: three agents answer one prompt side by side, and the chat goes on from the best answer.
const drafter = (name: string, text: string) => createAgent({ name, model: scripted([text]) })
const drafts = [
  drafter('short', 'Rain.'),
  drafter('plain', 'It rains in Oslo today.'),
  drafter('long', 'Oslo, the city of many weathers, sees rain today, as it so often does.'),
]
const judge = scripted([({ messages: [asked] }) => (JSON.stringify(asked).includes('# Answer 3') ? 'Answer 2.' : '?')])

const editor = createAgent({ name: 'editor', model: scripted(['', 'Shorter: It rains.']) })
const chat = editor.session('weather')
const group = await chat.parallel(drafts, { prompt: 'Write a headline.', strategy: { judge } })
for await (const event of group)
  if (event.type === 'branches.ended') console.log(`${event.selectedRunId} wins, number ${event.selectedIndex}`)

const { text } = await group.settled()
assert.equal(text, 'It rains in Oslo today.')
const next = await (await chat.prompt('Shorter, please.')).settled()
assert.equal(next.text, 'Shorter: It rains.')
assert.equal(next.messages.length, 4)
