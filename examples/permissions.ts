import assert from 'node:assert/strict'
import { z } from 'zod'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const paid: string[] = []
const granted = new Set<string>()
const pay = tool({
  name: 'pay',
  description: 'Pays somebody.',
  input: z.object({ to: z.string(), amount: z.number() }),
  execute: ({ to, amount }) => `Paid ${paid[paid.push(`${amount} to ${to}`) - 1]}.`,
})
const invoice = { name: 'pay', arguments: { to: 'Ada', amount: 900 } }
const bribe = { name: 'pay', arguments: { to: 'Mallory', amount: 1 } }
const agent = createAgent({
  name: 'clerk',
  model: scripted([{ toolCalls: [invoice, bribe] }, { toolCalls: [invoice] }, 'It is paid.']),
  tools: [pay],
  permissions: {
    rules: { deny: ['pay(to = "Mallory")'] },
    policy: ({ tools }) => tools,
    manager: {
      get: (_, tools) =>
        Object.fromEntries(tools.map(({ name }) => [name, granted.has(name) ? 'approved' : 'requestable'] as const)),
      set: (_, answer) => answer.granted.forEach((name) => granted.add(name)),
      cleanup: () => granted.clear(),
    },
  },
})

const run = agent.start('Pay Ada 900.')
const asked = await run.settled()
assert.deepEqual(
  asked.suspended.map(({ suspension }) => suspension?.reason),
  ['permission'],
)
assert.deepEqual(paid, [])
console.log('waiting: somebody has to grant "pay", nothing is paid')

const receipt = await run.approve()
const { status, text } = await run.settled()
assert.deepEqual([receipt.answer, status, text, paid], ['applied', 'done', 'It is paid.', ['900 to Ada']])
assert.equal(granted.size, 0)
console.log(`${status}: ${text} Mallory got nothing, and no grant is left over.`)
