import { expect, test } from 'vitest'
import { shownByEvents } from '../../../src/apps/studio/run-model.ts'
import { type AgentEvent, createAgent, foldEvents, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

test("OBS-03 counts a waiting run's tokens and cost once", async () => {
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => '',
  })
  const model = scripted([{ toolCalls: [{ name: 'ask', arguments: {} }], usage: { input: 30, output: 12 } }])
  const agent = createAgent({ name: 'asker', model, tools: [ask] })
  const run = agent.start('Go')
  const events: AgentEvent[] = []
  for await (const event of run.events()) events.push(event)
  const { usage, status } = shownByEvents(foldEvents(events), [])
  expect([status, usage.input, usage.output, usage.totalTokens]).toEqual(['waiting', 30, 12, 42])
})
