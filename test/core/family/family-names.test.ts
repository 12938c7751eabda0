import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const call = (name: string) => ({ toolCalls: [{ id: 'c', name, arguments: { prompt: 'Go.' } }] })

test('AGT-05 two different sub-agents with one name are refused, and two tools of one sub-agent are not', () => {
  const first = createAgent({ name: 'helper', model: scripted(['One.']) })
  const second = createAgent({ name: 'helper', model: scripted(['Two.']) })
  const hostOf = (...agents: readonly (typeof first)[]) =>
    createAgent({
      name: 'boss',
      model: scripted(['Done.']),
      tools: agents.map((agent, index) => agent.asTool({ name: `help${index}`, description: 'Helps.' })),
    })
  expect(() => hostOf(first, second)).toThrow(/two different sub-agents .*"boss\/helper".*another name/)
  expect(() => hostOf(first, first)).not.toThrow()
})

test('AGT-05 slashes in the names of agents are no levels, and no two families share a name', async () => {
  const store = memoryStore()
  const low = (name: string) =>
    createAgent({ name, model: scripted(['Low.']) }).asTool({ name: 'low', description: 'Works.' })
  const pairs = [
    ['a/b/c/d/e', 'f'],
    ['a', 'b/c/d/e/f'],
    ['a%2Fb', 'c'],
    ['a/b', 'c'],
  ]
  for (const [host = '', member = ''] of pairs) {
    const agent = createAgent({ name: host, store, model: scripted([call('low'), 'Top.']), tools: [low(member)] })
    const { messages } = await agent.run('Go.')
    expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ content: [{ text: 'Low.' }] })
  }
  const names = (await store.list({})).flatMap((one) => ('status' in one ? [one.agent] : []))
  expect(new Set(names).size).toBe(pairs.length * 2)
})
