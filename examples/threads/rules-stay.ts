// A long conversation is compacted again and again. The instructions reach the model unchanged each time.
// https://github.com/anthropics/claude-code/issues/6354
import assert from 'node:assert/strict'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const instructions = 'Never add a co-author to a commit. Ask before you create a file.'
const systems = new Set<string>()
const sizes: number[] = []
const model = scripted(({ system, messages }) => {
  systems.add(system)
  sizes.push(messages.length)
  return `Answer ${sizes.length}. ${'It takes a few words to say so. '.repeat(20)}`
})
const agent = createAgent({ name: 'coder', model, instructions, compaction: { budget: 4_000, systemTokens: 200 } })
let compactions = 0
agent.on(({ type }) => void (type === 'context.compacted' && compactions++))

const chat = agent.session('work')
for (let question = 1; question <= 60; question++) {
  await (await chat.prompt(`Question ${question}. ${'More of what happened. '.repeat(10)}`)).settled()
}
assert.deepEqual([...systems], [instructions])
assert.ok(compactions >= 3 && Math.max(...sizes) < 60, `${compactions} compactions, ${Math.max(...sizes)} messages`)
assert.equal((await chat.messages({ limit: 200 })).length, 120)
console.log('the instructions were the same in 60 requests, and the transcript is whole')
