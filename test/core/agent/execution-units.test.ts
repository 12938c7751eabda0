import { expect, test } from 'vitest'
import type { Model } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

test('AGT-09 adds up the execution units of all answers, across a suspension and another process', async () => {
  const options = {
    replies: [
      { ...calls(call('c1', 'pay')), executionUnits: 1.5 },
      { ...calls(call('c2', 'act')) },
      { text: 'Bye', executionUnits: 2 },
    ] satisfies readonly ScriptedReply[],
    tools: [toolbox().act(), toolbox().act('pay', { needs: 'approval' })],
  }
  const { agent, store } = testAgent(options)
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'waiting', executionUnits: 1.5 })
  const run = await testAgent({ ...options, store, process: 'p2' }).agent.load(runId)
  await run.approve()
  const result = await run.settled()
  expect(result.executionUnits).toBe(3.5)
  const stored = await (await agent.load(runId)).result()
  expect(stored.executionUnits).toBe(3.5)
  expect(stored.messages.map((message) => (message.role === 'assistant' ? message.executionUnits : null))).toEqual([
    null,
    1.5,
    null,
    undefined,
    null,
    2,
  ])
})

test('AGT-09 adds up the execution units of the parts of a continued answer', async () => {
  const part = { text: 'a', stopReason: 'length', executionUnits: 1 } as const
  const model = scripted([part, { text: 'b', stopReason: 'length' }, { text: 'c', executionUnits: 2 }], { by: 'calls' })
  expect(await testAgent({ model }).agent.run('Hi')).toMatchObject({ text: 'abc', executionUnits: 3 })
})

test('AGT-09 returns 0 execution units if no adapter reports any', async () => {
  expect((await testAgent({ replies: ['Hi.'] }).agent.run('Hi')).executionUnits).toBe(0)
})

test.each([[-1], [NaN], ['3']])('AGT-09 treats %s as execution units as a defect of the adapter', async (units) => {
  const inner = scripted(['Hi.'])
  const model: Model = {
    ...inner,
    async *stream(request) {
      for await (const event of inner.stream(request))
        yield event.type === 'finished'
          ? { ...event, message: { ...event.message, executionUnits: units as number } }
          : event
    },
  }
  const { outcome } = await testAgent({ model, retry: { maxRetries: 0 } }).agent.run('Hi')
  expect(outcome.error?.message).toContain('Expected a number of 0 or more.')
})
