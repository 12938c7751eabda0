import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const used = (totalTokens: number) => ({ usage: { input: totalTokens, totalTokens } })
const calling = (name: string) => ({ toolCalls: [{ id: name, name, arguments: { prompt: 'Go.' } }] })
const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needs: 'approval', execute: () => 'Paid.' })

/** Three levels, whose answers use 1, 10 and 100 tokens. The lowest member asks. */
function family(store: Store): Agent {
  const low = createAgent({
    name: 'low',
    model: scripted([
      { toolCalls: [{ id: 'p', name: 'pay', arguments: {} }], ...used(100) },
      { text: 'Low.', ...used(100) },
    ]),
    tools: [pay],
  })
  const middle = createAgent({
    name: 'middle',
    model: scripted([
      { ...calling('low'), ...used(10) },
      { text: 'Middle.', ...used(10) },
    ]),
    tools: [low.asTool({ description: 'Pays.' })],
  })
  return createAgent({
    name: 'top',
    store,
    model: scripted([
      { ...calling('middle'), ...used(1) },
      { text: 'Top.', ...used(1) },
    ]),
    tools: [middle.asTool({ description: 'Pays.' })],
  })
}

const usageOf = ({ usage, totalUsage }: { usage: { totalTokens: number }; totalUsage: { totalTokens: number } }) => [
  usage.totalTokens,
  totalUsage.totalTokens,
]

test('AGT-18 the total usage of a run includes its descendants, whether they wait, are done or are cancelled', async () => {
  const store = memoryStore()
  const agent = family(store)
  expect(usageOf(await agent.run('Go.', { runId: 'r1' }))).toEqual([1, 111])
  const run = await agent.load('r1')
  await run.approve()
  expect(usageOf(await run.settled())).toEqual([2, 222])
  const middle = (await store.list({})).flatMap((one) => ('status' in one && one.agent === 'top/middle' ? one.id : []))
  const member = await agent.load(middle[0] ?? '')
  expect(usageOf(await member.result())).toEqual([20, 220])
  await agent.run('Go.', { runId: 'r2' })
  const second = await agent.load('r2')
  await second.cancelCall('1.middle')
  await second.settled()
  expect(usageOf(await second.result())).toEqual([2, 112])
})
