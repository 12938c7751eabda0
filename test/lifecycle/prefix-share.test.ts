import { expect, test } from 'vitest'
import type { AgentEvent, Plugin } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

const replies = [calls(call('c1', 'act')), calls(call('c2', 'act')), calls(call('c3', 'act')), 'Bye']
const tools = () => [toolNamed('act', () => 'done')]

function told(events: readonly AgentEvent[]) {
  return events.flatMap((event): readonly unknown[] => {
    if (event.type === 'turn.ended') return [event.prefixShare]
    return event.type === 'context.drifted' ? [`drifted ${event.turn}`] : []
  })
}

test('PRV-09 CTX-02 reports for each turn how much of the previous prompt its prompt begins with', async () => {
  const { agent } = testAgent({ replies, tools: tools() })
  expect(told(await eventsOf(agent.start('Hi', { runId })))).toEqual([undefined, 1, 1, 1])
})

test('CTX-02 treats equal messages that the application has copied as the same', async () => {
  const buildPrompt: NonNullable<Plugin['buildPrompt']> = (messages) => structuredClone([...messages])
  const { agent } = testAgent({ replies, tools: tools(), plugins: [{ name: 'prompts', buildPrompt }] })
  expect(told(await eventsOf(agent.start('Hi', { runId })))).toEqual([undefined, 1, 1, 1])
})

test('CTX-02 reports once that prompts begin differently from earlier ones', async () => {
  let count = 0
  const buildPrompt: NonNullable<Plugin['buildPrompt']> = (messages) => [
    userMessage(`It is ${++count} o'clock.`, start),
    ...messages,
  ]
  const { agent } = testAgent({ replies, tools: tools(), plugins: [{ name: 'prompts', buildPrompt }] })
  expect(told(await eventsOf(agent.start('Hi', { runId })))).toEqual([undefined, 'drifted 2', 0, 0, 0])
})

test('CTX-02 does not report a drift if the prompt was compacted', async () => {
  const long = [toolNamed('act', () => 'word '.repeat(400))]
  const compaction = { budget: 1000, systemTokens: 100, keepFirst: 0, keepLast: 1 }
  const shares = told(await eventsOf(testAgent({ replies, tools: long, compaction }).agent.start('Hi', { runId })))
  expect(shares.filter((share) => typeof share === 'string')).toEqual([])
  expect(shares.some((share) => typeof share === 'number' && share < 0.5)).toBe(true)
})
