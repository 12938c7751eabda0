import { expect, test } from 'vitest'
import type { EffectHandler } from '../../../src/core/ports/effect-handler.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { checkpointsOf, statusesOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import type { RunToolInput } from '../../../machines/tool-call/tool-call.types.ts'
import { effectHandlers } from '../../../src/core/effects/effect-handlers.ts'
import { partsOf } from '../../../src/core/agent/options.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { driveWith } from '../../../proof/support/drive-with.ts'

function handler(
  perform: EffectHandler<never, unknown>['perform'],
  more: Partial<EffectHandler<never, unknown>> = {},
): EffectHandler<never, unknown> {
  return { kind: 'recorded', ...more, perform }
}

const throwing = handler(() => Promise.reject(new Error('the arm came off')))
const malformed = handler(() => Promise.resolve({ output: undefined }))

test('RUN-06 RUN-05 records an engine error once, as the end of the run', async () => {
  const store = memoryStore()
  const events = await driveWith({ store, handlers: { callModel: malformed } })
  expect(await store.record(runId)).toMatchObject({
    status: 'done',
    doneReason: 'error',
    error: { code: 'engine_error', message: expect.any(String) },
  })
  expect(events.filter(({ type }) => type === 'run.ended')).toHaveLength(1)
  expect(await checkpointsOf(store, runId)).toEqual(['UserMessage', 'RunFinished'])
  expect(await (await testAgent({ store }).agent.load(runId)).settled()).toMatchObject({ outcome: { reason: 'error' } })
})

test('RUN-06 answers every call of a run that an engine error ends', async () => {
  const store = memoryStore()
  const { act, done } = toolbox()
  const replies = [calls(call('c1', 'act'), call('c2', 'act')), 'Never said']
  await driveWith({ store, replies, tools: [act()], handlers: { runTool: malformed } })
  expect(await store.record(runId)).toMatchObject({ status: 'done', error: { code: 'engine_error' } })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'cancelled' })
  const unfinished = '[Tool execution was interrupted before producing a result.]'
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act, 1.c2 act',
    `1.c1 cancelled, result 1.c1 (error): ${unfinished}`,
    `1.c2 cancelled, result 1.c2 (error): ${unfinished}`,
  ])
  expect(done).toEqual([])
})

test.each([
  ['nothing', undefined, 'undefined'],
  ['no status', {}, 'undefined'],
  ['an unknown status', { status: 'odd', at: 1 }, '"odd"'],
  ['no object', 5, 'undefined'],
])('RUN-06 a tool effect that ends with %s suspends no call and ends the run', async (_, output, shown) => {
  const store = memoryStore()
  const runTool = handler(() => Promise.resolve({ output }))
  await driveWith({
    store,
    replies: [calls(call('c1', 'act')), 'Never'],
    tools: [toolbox().act()],
    handlers: { runTool },
  })
  const message = `The performance of a tool ended with the status ${shown}. Expected { status, at }`
  const error = { code: 'engine_error', message: expect.stringContaining(message) }
  expect(await store.record(runId)).toMatchObject({ status: 'done', doneReason: 'error', error })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
})

test.each(['gateCall', 'stepStart', 'runStart', 'filterInput', 'recall', 'buildContext'] as const)(
  'RUN-06 an ask effect at %s that ends without a result ends the run',
  async (phase) => {
    const store = memoryStore()
    const replies = [calls(call('c1', 'act')), 'Never']
    await driveWith({ store, replies, tools: [toolbox().act()], watched: [phase], handlers: { ask: malformed } })
    expect(await store.record(runId)).toMatchObject({ status: 'done', error: { code: 'engine_error' } })
  },
)

test('EVT-01 emits the end of a tool that an engine error stops', async () => {
  const held = heldTool()
  const { runTool } = effectHandlers(partsOf({ name: 'test', model: scripted([]), tools: [held.tool] }))
  const failing = handler((input: RunToolInput, context) =>
    input.callId === '1.c1' ? runTool.perform(input, context) : held.begins('1.c1').then(() => ({ output: undefined })),
  )
  const replies = [calls(call('c1', 'held'), call('c2', 'held'))]
  const events = await driveWith({ store: memoryStore(), replies, tools: [held.tool], handlers: { runTool: failing } })
  const told = events.flatMap((event) =>
    'callId' in event && event.type !== 'call.settled' ? `${event.type} ${event.callId}` : [],
  )
  expect(told).toEqual(['toolExecution.started 1.c1', 'toolExecution.ended 1.c1'])
})

test('RUN-06 ends a run whose effect throws, and names the effect and the exception', async () => {
  const store = memoryStore()
  await driveWith({ store, handlers: { callModel: throwing } })
  const error = { code: 'effect_failed', message: 'callModel: the arm came off' }
  expect(await store.record(runId)).toMatchObject({ status: 'done', doneReason: 'error', error })
})

test('RUN-06 refuses a malformed output if its effect checks it', async () => {
  const store = memoryStore()
  const check = (output: unknown) => {
    if (output === undefined) throw new Error('expected an answer, got nothing')
  }
  await driveWith({ store, handlers: { callModel: { ...malformed, check } } })
  const error = { code: 'effect_failed', message: 'callModel: expected an answer, got nothing' }
  expect(await store.record(runId)).toMatchObject({ status: 'done', error })
})

test('RUN-06 fails with a typed error, and stores nothing, if an effect has no handler', async () => {
  const store = memoryStore()
  const driving = driveWith({ store, handlers: { callModel: undefined as never } })
  await expect(driving).rejects.toMatchObject({ name: 'EngineError' })
  expect(await store.record(runId)).toMatchObject({ status: 'running', version: 0 })
})

test('RUN-06 CKP-05 leaves the run unchanged if the store fails while the engine error is recorded', async () => {
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    commit: (commit) => (commit.status === 'done' ? Promise.reject(new Error('EIO')) : inner.commit(commit)),
  }
  await expect(driveWith({ store, handlers: { callModel: malformed } })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  expect(await inner.record(runId)).toMatchObject({ status: 'running', version: 1 })
  expect(await (await testAgent({ store: inner, replies: ['Done'] }).agent.load(runId)).settled()).toMatchObject({
    status: 'done',
    text: 'Done',
  })
})
