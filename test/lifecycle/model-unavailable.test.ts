import { expect, test } from 'vitest'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, quiet, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { noUsage } from '../../src/core/domain/usage.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

const down = { error: { kind: 'network', message: 'No route to host' } } as const
const waits: TestAgentOptions = { onModelFailure: 'wait', retry: { maxRetries: 0 } }

test('RUN-06 a run whose models are unreachable waits, and continues in another process without paying again', async () => {
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
  expect(events.slice(-3).map(({ type }) => type)).toEqual(['turn.ended', 'call.suspended', 'run.waiting'])
  const second = testAgent({ ...waits, store, tools, process: 'p2', replies: [calls(), 'Bye'] })
  const again = await second.agent.load(runId)
  expect((await again.approve()).answer).toBe('applied')
  expect(await again.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  expect(done).toEqual(['act {}'])
  expect(second.prompts).toEqual([['user: Hi', 'assistant: calls 1.c1 act', 'result 1.c1: act done']])
})

test("RUN-06 EVT-01 a run taken over during the hold emits a turn without an answer, not the previous turn's", async () => {
  const inner = memoryStore()
  const news = Promise.withResolvers<void>()
  let isNews = false
  let isLost = false
  // The message to the run and the outage of its model come in one step, whose commit is the process's last.
  const store: Store = {
    ...inner,
    inbox: async (...asked) => {
      const rows = await inner.inbox(...asked)
      if (isNews && !isLost) {
        news.resolve()
        await quiet()
      }
      return rows
    },
    commit: async (commit) => {
      if (isLost) throw new Error('The process is gone.')
      const receipt = await inner.commit(commit)
      isLost = (await standing(inner)).includes('"holdingRun"')
      return receipt
    },
  }
  const tools = [toolbox().act()]
  const failing = async () => {
    isNews = true
    await (await other.agent.load(runId)).append('shown', { page: 1 })
    await news.promise
    return down
  }
  const first = testAgent({ ...waits, store, tools, replies: [calls(call('c1', 'act')), failing] })
  const other = testAgent({ store: inner, clock: first.clock, process: 'p2' })
  await expect(first.agent.start('Hi', { runId }).settled()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(isLost).toBe(true)
  first.clock.advance(100_000)
  const second = testAgent({ ...waits, store: inner, clock: first.clock, tools, process: 'p3' })
  const run = await second.agent.load(runId)
  const events = await eventsOf(run)
  expect(events.filter(({ type }) => type === 'turn.ended')).toEqual([
    {
      seq: 16,
      type: 'turn.ended',
      runId,
      at: first.clock.now(),
      subject: runId,
      turn: 2,
      usage: noUsage,
    },
  ])
  expect(await run.result()).toMatchObject({ status: 'waiting', suspended: [{ toolName: 'model' }] })
})

test('RUN-06 a person who denies another attempt stops the run', async () => {
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
])('RUN-06 ends in error if %s', async (_, options) => {
  const { agent, store } = testAgent(options)
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome).toMatchObject({ reason: 'error', error: { message: 'No route to host' } })
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'assistant: error No route to host'])
})

/** The document a run is restored from, as text. */
async function standing(store: Store): Promise<string> {
  const { document, checkpoint } = await store.read(runId)
  return document ?? checkpoint?.document ?? ''
}

test('CKP-01 RUN-06 a hold next to an already waiting call writes no results', async () => {
  const { act, ask } = toolbox()
  const tools = [act(), ask('asks')]
  const { agent } = testAgent({ ...waits, tools, replies: [calls(call('c1', 'asks'), call('c2', 'act')), down] })
  const run = agent.start('Hi', { runId })
  expect((await run.settled()).suspended.map(({ toolName }) => toolName)).toEqual(['asks', 'model'])
  const names = (await run.history()).flatMap((checkpoint) => checkpoint.names)
  expect(names).toEqual(['UserMessage', 'AssistantTurnCommitted', 'ToolResultsCommitted', 'RunFinished'])
})
