import { expect, test } from 'vitest'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'

const down = { error: { kind: 'network', message: 'No route to host' } } as const
const waits: TestAgentOptions = { onModelFailure: 'wait', retry: { maxRetries: 0 } }

test('RUN-06 a run whose models cannot be reached waits, and goes on in another process without paying again', async () => {
  const store = memoryStore()
  const { done, act } = toolbox()
  const tools = [act()]
  const first = testAgent({
    ...waits,
    store,
    tools,
    replies: [calls(call('c1', 'act')), down],
    fallbackModels: [scripted([down, down])],
  })
  const run = first.agent.start('Hi', { runId })
  const events = await eventsOf(run)
  const result = await run.settled()
  expect(result).toMatchObject({ status: 'waiting', outcome: { reason: 'suspended' } })
  expect(result.suspended).toMatchObject([
    { toolName: 'model', suspension: { reason: 'model_unavailable', message: 'No route to host' } },
  ])
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['turn.ended', 'run.waiting'])
  const second = testAgent({ ...waits, store, tools, process: 'p2', replies: [calls(), 'Bye'] })
  const again = await second.agent.load(runId)
  expect((await again.approve()).answer).toBe('applied')
  expect(await again.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  expect(done).toEqual(['act {}'])
  expect(second.prompts).toEqual([['user: Hi', 'assistant: calls 1.c1 act', 'result 1.c1: act done']])
})

test('RUN-06 somebody who does not let it be asked again stops the run', async () => {
  const { agent } = testAgent({ ...waits, replies: [down] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.deny()
  expect((await run.settled()).outcome).toEqual({ reason: 'stopped', code: 'model_unavailable' })
})

test('RUN-06 a limit that allows one more call allows it after the outage too', async () => {
  const replies = ['More?', down, 'Final.']
  let asked = 0
  const { agent, toolChoices } = testAgent({
    ...waits,
    model: scripted([() => replies[asked++] as string, () => replies[asked++] as string]),
    limits: { maxTurns: 1 },
    onLimit: 'finish',
  })
  const run = agent.start('Hi', { runId, drive: false })
  await run.followUp('Yes.')
  await run.settled()
  await run.approve()
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'stopped', code: 'max_turns' }, text: 'Final.' })
  expect(toolChoices).toEqual([undefined, 'none', 'none'])
})

test.each<[string, TestAgentOptions]>([
  ['nobody asked for a wait', { retry: { maxRetries: 0 }, replies: [down] }],
  ['the model refuses', { ...waits, replies: [{ error: { kind: 'api', message: 'No route to host' } }] }],
])('RUN-06 ends in error where %s', async (_, options) => {
  const { agent, store } = testAgent(options)
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toMatchObject({ reason: 'error', error: { message: 'No route to host' } })
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: error No route to host'])
})
