import { createAgent, textOf } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const agent = createAgent({ name: 'guide', model: scripted(['Rain.', 'Dry.', 'Snow.', 'Take boots.']) })

const first = agent.start('Weather in Oslo?', { subject: 'oslo' })
await first.prompt('And tomorrow?').catch((error) => console.log(error.code))
await first.settled()

// Each prompt is a new run that begins with the transcript. In another process, load the first run with load(id).
const second = await first.prompt('And tomorrow?')
await second.settled()
const third = await second.prompt('And on Sunday?')
const { text, run } = await third.settled()
console.log(`${run.subject}: ${text}`)

// The first run can be continued again: the conversation branches.
const other = await first.prompt('And in Bergen?')
await other.settled()

for (const branch of [third, other]) {
  const messages = await branch.messages()
  console.log(messages.map((message) => (message.role === 'extension' ? '' : textOf(message))).join(' '))
}
