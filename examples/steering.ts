import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const read = tool({
  name: 'read_page',
  description: 'Reads a page.',
  input: { type: 'object' },
  effects: 'none',
  execute: async (input, { runId }) => {
    // Sends messages while the first page is read; another process would use the same two lines.
    const run = await agent.load(runId)
    await run.steer('Only the first page.')
    await run.followUp('Thanks. In one word?')
    return `Page ${JSON.stringify(input)}: lamps.`
  },
})
const toolCalls = [1, 2, 3].map((page) => ({ name: 'read_page', arguments: { page } }))
const agent = createAgent({
  name: 'reader',
  model: scripted([{ toolCalls }, 'It is about lamps.', 'Lamps.']),
  tools: [read],
  executor: 'sequential',
})

const { messages } = await agent.run('What are the pages about?')
for (const message of messages) {
  if (message.role !== 'extension' && textOf(message) !== '') console.log(`${message.role}: ${textOf(message)}`)
}
