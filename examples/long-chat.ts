import assert from 'node:assert/strict'
import {
  type AgentEvent,
  createAgent,
  type Message,
  type Model,
  ModelError,
  type PromptMessage,
  type Run,
} from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const window = 8_000
const tokensOf = (messages: readonly Message[]) => Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / 4)
const sizes: number[] = []

/** A model with a small window, which rejects longer prompts and knows only what is in its prompt. */
const inner = scripted(({ messages }) => {
  const name = /My name is (\w+)/.exec(JSON.stringify(messages))?.[1] ?? 'nobody'
  return `Answer ${sizes.length} for ${name}. ${'It takes a few words to say so. '.repeat(10)}`
})
const model: Model = {
  ...inner,
  contextWindow: window,
  maxTokens: 1_000,
  async *stream(request) {
    sizes.push(tokensOf(request.messages))
    if (tokensOf(request.messages) > window - 1_000) throw new ModelError('overflow', 'prompt is too long')
    yield* inner.stream(request)
  },
}

const compacted: Extract<AgentEvent, { type: 'context.compacted' }>[] = []
const agent = createAgent({ name: 'guide', model })
agent.on((event) => {
  if (event.type === 'context.compacted') compacted.push(event)
})

/** A person's messages: a few lines, and a question. */
const said = (first: string): PromptMessage[] =>
  [first, ...Array.from({ length: 18 }, (_, line) => `Line ${line}. ${'More of what happened. '.repeat(8)}`)].map(
    (content) => ({ role: 'user', content }),
  )

let run: Run = agent.start(said('My name is Ada.'))
await run.settled()
for (let question = 2; question <= 100; question++) {
  run = await run.prompt(said(`Question ${question}: what is next?`))
  await run.settled()
}

const messages = await run.messages()
const { text } = await run.result()
assert.equal(messages.length, 2_000)
assert.equal(sizes.length, 100)
assert.ok(Math.max(...sizes) <= window - 1_000)
assert.ok(compacted.length > 10 && compacted.length < 60)
assert.ok(text.startsWith('Answer 100 for Ada.'))
console.log(`${messages.length} messages in the transcript, none of 100 prompts beyond the window`)
console.log(text.slice(0, 19))
