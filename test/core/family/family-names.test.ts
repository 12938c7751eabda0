import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { unboundTool } from '../../../src/core/family/bind-child-tools.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const call = (name: string) => ({ toolCalls: [{ id: 'c', name, arguments: { prompt: 'Go.' } }] })

test('AGT-05 refuses two different sub-agents with one name, but accepts two tools of one sub-agent', () => {
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

test("AGT-05 refuses an agent with the name of another agent's sub-agent", () => {
  const named = (name: string) => createAgent({ name, model: scripted(['Done.']) })
  expect(() => named('boss/helper')).toThrow(/"boss\/helper" has a "\/"/)
  const helper = named('helper').asTool({ description: 'Helps.' })
  expect(() => createAgent({ name: 'boss', model: scripted(['Done.']), tools: [helper] })).not.toThrow()
})

test("AGT-05 TST-03 a stub of a sub-agent's tool starts no child, and a copy of the tool does", async () => {
  const store = memoryStore()
  const low = createAgent({ name: 'low', model: scripted(['Low.']) }).asTool({ description: 'Works.' })
  const runs = async (name: string, tool: typeof low) => {
    const agent = createAgent({ name, store, model: scripted([call('low'), 'Top.']), tools: [tool] })
    const { messages } = await agent.run('Go.')
    return messages.find((message) => message.role === 'toolResult')?.content
  }
  expect(await runs('stubbed', { ...unboundTool(low), execute: () => 'Stub.' })).toMatchObject([{ text: 'Stub.' }])
  expect(await store.list({})).toHaveLength(1)
  expect(await runs('copied', { ...low, description: 'Works well.' })).toMatchObject([{ text: 'Low.' }])
})
