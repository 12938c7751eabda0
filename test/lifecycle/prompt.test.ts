import { expect, test } from 'vitest'
import { stateOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import type { AgentEvent, Run, Store } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../adapters/stores/temporary-folder.ts'

const asking = [calls(call('c', 'act', { n: 1 })), 'One', calls(call('c', 'act', { n: 2 })), 'Two', 'Three']

function actingAgent(options: TestAgentOptions = {}) {
  const { act, done } = toolbox()
  return { done, ...testAgent({ replies: asking, tools: [act()], ...options }) }
}

const linesOf = async (run: Run) => (await run.messages()).map(say)
const typesOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'message.ended' ? say(event.message) : event.type))

async function onStores(use: (store: Store) => Promise<void>): Promise<void> {
  using folder = temporaryFolder()
  for (const store of [memoryStore(), sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })]) {
    await use(store)
    await store.close()
  }
}

test('AGT-02 a prompt to a finished run begins a run with its transcript', async () => {
  await onStores(async (store) => {
    const { agent, prompts, done } = actingAgent({ store })
    const first = agent.start('Hi', { runId })
    await first.settled()
    const next = await first.prompt('More', { runId: 'run-2' })
    expect(next.id).toBe('run-2')
    const events = await eventsOf(next)
    expect(events[0]).toMatchObject({
      type: 'run.started',
      runId: 'run-2',
      subject: runId,
      parentRunId: runId,
      continuation: { kind: 'default' },
    })
    expect(events.flatMap((event) => (event.type === 'turn.started' ? [[event.turn, event.trigger]] : []))).toEqual([
      [1, 'continuation'],
      [2, 'continuation'],
    ])
    expect(typesOf(events).filter((line) => line.includes(': '))).toEqual([
      'user: More',
      'assistant: calls 2.c act',
      'result 2.c: act done',
      'assistant: Two',
    ])
    const before = ['user: Hi', 'assistant: calls 1.c act', 'result 1.c: act done', 'assistant: One']
    const after = ['user: More', 'assistant: calls 2.c act', 'result 2.c: act done']
    expect(prompts.at(-1)).toEqual([...before, ...after])
    expect(await linesOf(next)).toEqual([...before, ...after, 'assistant: Two'])
    expect(await linesOf(first)).toEqual(before)
    expect(await statusesOf(store, 'run-2')).toEqual({ '2.c': 'succeeded' })
    expect(done).toEqual(['act {"n":1}', 'act {"n":2}'])
    expect((await next.messages()).map(({ place }) => place).slice(0, 5)).toEqual([2, 5, 6, 13, 18])
  })
})

test('AGT-02 a conversation continues from each of its runs, and branches if one is prompted twice', async () => {
  await onStores(async (store) => {
    const { agent } = actingAgent({ store })
    const first = agent.start('Hi', { runId })
    await first.settled()
    const branches = await Promise.all([
      first.prompt('Left', { runId: 'left' }),
      first.prompt('Right', { runId: 'right' }),
    ])
    for (const branch of branches) expect(await branch.settled()).toMatchObject({ status: 'done', text: 'Two' })
    const last = await (await agent.load('left')).prompt('Last')
    expect(await last.settled()).toMatchObject({ text: 'Three' })
    expect(await linesOf(last)).toEqual([
      'user: Hi',
      'assistant: calls 1.c act',
      'result 1.c: act done',
      'assistant: One',
      'user: Left',
      'assistant: calls 2.c act',
      'result 2.c: act done',
      'assistant: Two',
      'user: Last',
      'assistant: Three',
    ])
    expect(await linesOf(await agent.load('right'))).toContain('user: Right')
    const { input, continues } = await store.read(last.id)
    expect(continues?.runId).toBe('left')
    expect(input).toMatchObject({ parentRunId: 'left', carried: continues?.seq, subject: runId })
  })
})

test('AGT-02 refuses a prompt to an active run, and suggests alternatives', async () => {
  const held = heldReply()
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [held.reply, 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
  })
  const run = agent.start('Hi', { runId })
  await held.asked
  const busy = { name: 'UsageError', code: 'run_busy', message: expect.stringMatching(/steer\(\).*followUp\(\)/) }
  await expect(run.prompt('More')).rejects.toMatchObject(busy)
  held.give(calls(call('c1', 'gated')))
  expect((await run.settled()).status).toBe('waiting')
  const names = /decide\(\).*steer\(\).*followUp\(\).*cancel\(\)/
  const waiting = { name: 'UsageError', code: 'run_waiting', message: expect.stringMatching(names) }
  await expect(run.prompt('More')).rejects.toMatchObject(waiting)

  const elsewhere = testAgent({ store, process: 'p2', replies: ['Bye', 'Bye', 'Bye'] }).agent
  const loaded = await elsewhere.load(runId)
  await expect(loaded.prompt('More')).rejects.toMatchObject(waiting)
  await run.cancel()
  await run.settled()
  expect(await (await loaded.prompt('More')).settled()).toMatchObject({ status: 'done', text: 'Bye' })
  expect((await store.list()).length).toBe(2)
})

test('AGT-02 uses the stored status while the previous driver still holds the run', async () => {
  const { act } = toolbox()
  const replies = [calls(call('c', 'gated')), 'One', 'Two']
  const { agent } = testAgent({ replies, tools: [act('gated', { needs: 'approval' })] })
  const run = agent.start('Hi', { runId })
  const waiting = Promise.withResolvers<unknown>()
  const ended = Promise.withResolvers<Run>()
  run.on(({ type }) => {
    if (type === 'run.waiting') waiting.resolve(run.prompt('More').catch((error: unknown) => error))
    if (type === 'run.ended') run.prompt('More').then(ended.resolve, ended.reject)
  })
  await run.settled()
  expect(await waiting.promise).toMatchObject({ code: 'run_waiting' })
  await run.approve()
  await run.settled()
  expect(await (await ended.promise).settled()).toMatchObject({ text: 'Two' })
})

test('AGT-02 a refused prompt stores no run', async () => {
  const { agent, store } = actingAgent()
  const run = agent.start('Hi', { runId })
  await run.settled()
  const refusals: [Promise<unknown>, string][] = [
    [run.prompt(''), 'bad_prompt'],
    [run.prompt([]), 'bad_prompt'],
    [run.prompt('More', { runId: '../up' }), 'bad_run_id'],
    [run.prompt('More', { runId }), 'run_exists'],
    [run.prompt('More', { ifExists: 'attach' } as never), 'bad_option'],
    [run.prompt('More', { drive: 'later' } as never), 'bad_option'],
    [run.prompt('More', { quota: 0 }), 'bad_option'],
    [run.prompt('More', { labels: { a: 1 } } as never), 'bad_option'],
  ]
  for (const [refused, code] of refusals) await expect(refused).rejects.toMatchObject({ code })
  expect(await store.list()).toHaveLength(1)
  await store.delete(runId)
  await expect(run.prompt('More')).rejects.toMatchObject({ name: 'StoreError', code: 'run_unknown' })
  await agent.close()
  await expect(run.prompt('More')).rejects.toMatchObject({ name: 'UsageError', code: 'agent_closed' })
})

test("AGT-02 continues from another agent's run only if the agent adopted it", async () => {
  const { store } = actingAgent({ name: 'clerk' })
  const clerk = testAgent({ name: 'clerk', replies: ['Hello'], store })
  await clerk.agent.run('Hi', { runId })
  const { agent } = testAgent({ name: 'cleaner', replies: ['', 'Clean'], store, process: 'p2' })
  await expect((await agent.load(runId)).prompt('More')).rejects.toMatchObject({ code: 'other_agent' })
  const next = await (await agent.load(runId, { adopt: true })).prompt('More')
  expect(await next.settled()).toMatchObject({ text: 'Clean' })
  expect(await store.record(next.id)).toMatchObject({ agent: 'cleaner' })
})

test("AGT-02 the new run inherits the run's options except its quota, and a prompt's options replace them", async () => {
  const { agent } = actingAgent()
  const given = { accessControl: 'clerk', delegatedBy: 'desk', labels: { room: '12' }, history: true }
  const first = agent.start('Hi', { runId, quota: 2, subject: 'talk-7', ...given })
  await first.settled()
  const next = await first.prompt('More', { runId: 'run-2' })
  const { run, status } = await next.settled()
  expect(run).toEqual({ id: 'run-2', subject: 'talk-7', ...given })
  expect(status).toBe('done')
  const accessControl = null
  const other = { subject: 'talk-8', accessControl, delegatedBy: 'boss', labels: {}, history: false, quota: 1 }
  const last = await next.prompt('Last', { runId: 'run-3', ...other })
  const { history: _, ...kept } = other
  expect((await last.settled()).run).toEqual({ id: 'run-3', ...kept })
})

test("AGT-02 a quota counts only the new run's model calls", async () => {
  const { agent } = actingAgent()
  const first = agent.start('Hi', { runId })
  await first.settled()
  const enough = await first.prompt('More', { quota: 2 })
  expect((await enough.settled()).outcome).toEqual({ reason: 'natural_end' })
  const short = await first.prompt('More', { quota: 1 })
  expect((await short.settled()).outcome).toMatchObject({ reason: 'error', code: 'max_tool_interactions' })
})

test('AGT-02 the signal of a prompt cancels the new run', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: ['Hello', held.reply] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const leaving = new AbortController()
  const next = await first.prompt('More', { signal: leaving.signal })
  await held.asked
  leaving.abort()
  expect((await next.settled()).outcome).toEqual({ reason: 'cancelled' })
  expect((await first.result()).outcome).toEqual({ reason: 'natural_end' })
})

test('AGT-02 RUN-11 the new run begins with the last state, without an event about it', async () => {
  const count = toolNamed('count', (_, { state, patch }) => {
    const before = (state as { readonly n?: number }).n ?? 0
    patch([{ path: ['n'], value: before + 1 }])
    return `was ${before}`
  })
  const replies = [calls(call('a', 'count')), calls(call('b', 'count')), 'Two', calls(call('a', 'count')), 'Three']
  const { agent, store } = testAgent({ replies, tools: [count] })
  const first = agent.start('Hi', { runId })
  await first.settled()
  const next = await first.prompt('More')
  const events = await eventsOf(next)
  expect(events.flatMap((event) => (event.type === 'state.changed' ? [event.state] : []))).toEqual([{ n: 3 }])
  expect(await stateOf(store, next.id)).toEqual({ n: 3 })
  expect(await linesOf(next)).toContain('result 3.a: was 2')
})

test("AGT-02 AGT-13 keeps late results in their places, and the application's messages", async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'act'), call('b', 'gated')), 'So far', 'Whole', 'Again'],
    tools: [act(), act('gated', { needs: 'approval' })],
  })
  const first = agent.start('Hi', { runId })
  await first.settled()
  await first.append('shown', { page: 1 })
  await first.approve()
  await first.settled()
  const next = await first.prompt([
    { role: 'extension', kind: 'asked', data: 1, timestamp: 1 },
    { role: 'user', content: [{ type: 'text', text: 'More' }], timestamp: 1 },
  ])
  await next.settled()
  const before = (await linesOf(first)).filter((line) => !line.startsWith('extension'))
  expect(before).toContain('result 1.b: gated done')
  expect(prompts.at(-1)).toEqual([...before, 'user: More'])
  expect(await linesOf(next)).toEqual([...(await linesOf(first)), 'extension: asked', 'user: More', 'assistant: Again'])
  expect(await linesOf(first)).toContain('extension: shown')
})

test('AGT-02 continues from a cancelled or failed run, with a result for each of its calls', async () => {
  const { act } = toolbox()
  const options = { tools: [act('gated', { needs: 'approval' })] }
  const cancelled = testAgent({ ...options, replies: [calls(call('a', 'gated')), 'Again'] })
  const first = cancelled.agent.start('Hi', { runId })
  await first.settled()
  await first.cancel()
  await first.settled()
  expect(await (await first.prompt('More')).settled()).toMatchObject({ text: 'Again' })
  expect(cancelled.prompts.at(-1)).toEqual([
    'user: Hi',
    'assistant: calls 1.a gated',
    expect.stringMatching(/^result 1\.a/),
    'user: More',
  ])

  const model = scripted([{ error: { kind: 'api', message: 'Down' } }, 'Again'], { by: 'calls' })
  const failing = testAgent({ model })
  const failed = failing.agent.start('Hi', { runId })
  expect(await failed.settled()).toMatchObject({ outcome: { reason: 'error' } })
  const next = await failed.prompt('More')
  expect(await next.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Again' })
  expect(failing.prompts.at(-1)).toEqual(['user: Hi', 'user: More'])
})
