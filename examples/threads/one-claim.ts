// Two people approve one call at the same moment, on two servers. The call runs once.
// https://github.com/mastra-ai/mastra/issues/24590
import assert from 'node:assert/strict'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const paid: string[] = []
const store = memoryStore()
const newServer = () =>
  createAgent({
    name: 'clerk',
    store,
    model: scripted([{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Paid.']),
    tools: [
      tool({
        name: 'pay',
        description: 'Pays the bill.',
        input: { type: 'object' },
        needs: 'approval',
        execute: (_, { idempotencyKey }) => `Paid ${paid.push(idempotencyKey)}.`,
      }),
    ],
  })

await newServer().run('Pay the bill.', { runId: 'bill' })
const answers = await Promise.all(
  ['Grace', 'Linus'].map(async (by) => {
    const server = newServer()
    const run = await server.load('bill')
    const { answer } = await run.approve(undefined, { by })
    await run.settled({ follow: true })
    return answer
  }),
)
assert.deepEqual(answers.toSorted(), ['applied', 'duplicate'])
assert.equal(paid.length, 1)
console.log(`two approvals: ${answers.toSorted().join(' and ')}; paid once`)
