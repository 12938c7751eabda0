import assert from 'node:assert/strict'
import { z } from 'zod'
import { contract, createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { inProcessBroker, serveAgent } from '../src/core/services/index.ts'

// A team of two agents: a writer that must not publish by itself, and an editor that approves the text, as a service.
const review = contract({
  type: 'com.press.review',
  version: '1.0.0',
  description: 'Has the editor look at a text.',
  accepts: z.object({ message: z.string() }),
  emits: { 'evt.press.review.done': z.object({ approved: z.boolean() }) },
})
const broker = inProcessBroker()
const published: string[] = []

const editor = createAgent({
  name: 'editor',
  model: scripted(['{"approved":true}']),
  output: z.object({ approved: z.boolean() }),
  broker,
})
const stop = serveAgent(editor, review, broker)

const publish = tool({
  name: 'publish',
  description: 'Publishes a text.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => {
    published.push(text)
    return 'Published.'
  },
})
const text = 'It rains.'
const asks = { name: 'com_press_review', arguments: { message: text } }
const writer = createAgent({
  name: 'writer',
  model: scripted([{ toolCalls: [asks] }, { toolCalls: [{ name: 'publish', arguments: { text } }] }, 'It is out.']),
  tools: [publish],
  services: [review],
  broker,
})

const done = new Promise<void>((resolve) => writer.on((event) => event.type === 'run.ended' && resolve()))
const { status } = await writer.run('Write about the weather.', { runId: 'article' })
assert.deepEqual([status, published], ['waiting', []])
await done
const result = await (await writer.load('article')).result()
const [child] = await editor.runs()
const asked = await (await editor.load(child?.id ?? '')).result()
assert.deepEqual([result.text, published], ['It is out.', [text]])
assert.equal(asked.run.delegatedBy, '/agents/writer/runs/article')
console.log(
  `${result.text} The editor was asked by ${asked.run.delegatedBy}, and approved: ${JSON.stringify(asked.output)}`,
)
stop()
await writer.close()
await editor.close()
