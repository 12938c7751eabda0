import { expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

test('AGT-05 a sub-agent of an `agent.machine` actor reports that it needs stored runs, and how to start one', async () => {
  const helper = createAgent({ name: 'helper', model: scripted(['Helped.']) })
  const agent = createAgent({
    name: 'boss',
    model: scripted([{ toolCalls: [{ id: 'h', name: 'helper', arguments: { prompt: 'Help.' } }] }, 'Done.']),
    tools: [helper.asTool({ description: 'Helps.' })],
  })
  const { messages } = await toPromise(createActor(agent.machine, { input: 'Go.' }).start())
  expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Start agent "boss" with run() or start()') }],
  })
})
