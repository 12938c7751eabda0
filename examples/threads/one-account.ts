// Agents that start agents spend from one account. The next request is refused before it is sent, not reported after.
// https://github.com/anthropics/claude-code/issues/69578
import assert from 'node:assert/strict'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const limits = { maxTokens: 20_000 }
let spent = 0
/** Answers each request for 1,000 tokens, with calls of the given tools. */
const greedy = (...names: string[]) =>
  scripted(
    () => {
      spent += 1_000
      const usage = { input: 10, output: 990 }
      if (names.length === 0) return { text: 'I have read it.', usage }
      return { toolCalls: names.map((name) => ({ name, arguments: { prompt: 'Read more.' } })), usage }
    },
    { maxTokens: 990 },
  )

const reader = createAgent({ name: 'reader', model: greedy(), limits })
const leads = ['north', 'south'].map((name) =>
  createAgent({ name, model: greedy('reader', 'reader'), tools: [reader.asTool({ description: 'Reads.' })], limits }),
)
const tools = leads.map((lead) => lead.asTool({ description: 'Leads readers.' }))
const boss = createAgent({ name: 'boss', model: greedy('north', 'south'), tools, limits })

const { outcome, totalUsage } = await boss.run('Read everything.')
assert.equal(outcome.code, 'max_tokens')
assert.equal(totalUsage.totalTokens, spent)
assert.ok(spent <= 20_000 && spent > 10_000, String(spent))
console.log(`the whole tree stopped within 20,000 tokens, as ${outcome.code}`)
