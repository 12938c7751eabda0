import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { statusesOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const replies = [calls(call('c1', 'held')), 'Done']

test('CKP-05 close waits for a running tool, launches nothing new and releases the lease', async () => {
  const held = heldTool()
  const first = testAgent({ replies, tools: [held.tool] })
  const settled = first.agent.start('Hi', { runId }).settled()
  const { signal } = await held.begins('1.c1')
  let isClosed = false
  const closing = first.agent.close({ drainMs: 1000 }).then(() => (isClosed = true))
  await quiet()
  expect([isClosed, signal.aborted]).toEqual([false, false])
  held.finish('1.c1')
  await closing
  await expect(settled).rejects.toMatchObject({ code: 'run_detached' })
  expect(first.prompts.length).toBe(1)
  expect(await statusesOf(first.store, runId)).toEqual({ '1.c1': 'succeeded' })

  const second = testAgent({ replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' })
  expect((await second.agent.resume(runId)).drive).toBe('begun')
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect(held.begun).toEqual(['1.c1'])
})

test('CKP-05 close keeps the answer of a running model request, and runs none of its calls', async () => {
  const { reply, asked, give } = heldReply()
  const { act, done } = toolbox()
  const tools = [act('act', { effects: 'none' })]
  const first = testAgent({ replies: [reply, 'Done'], tools })
  void first.agent.start('Hi', { runId })
  await asked
  const closing = first.agent.close({ drainMs: 1000 })
  give(calls(call('c1', 'act')))
  await closing
  expect(done).toEqual([])
  expect(await transcriptOf(first.store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act',
    expect.stringMatching(/^1\.c1 .*, no result$/),
  ])
  const second = testAgent({ replies: ['', 'Done'], tools, store: first.store, clock: first.clock, process: 'p2' })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect(done).toEqual(['act {}'])
})

test('CKP-05 close aborts work that does not finish in time, by its signal', async () => {
  const held = heldTool('held', { effects: 'none' })
  const { agent, clock, store } = testAgent({ replies, tools: [held.tool] })
  const settled = agent.start('Hi', { runId }).settled()
  const { signal } = await held.begins('1.c1')
  const closing = agent.close({ drainMs: 1000 })
  await clock.sleeping(start + 1000)
  expect(signal.aborted).toBe(false)
  clock.advance(1000)
  await closing
  expect(signal.aborted).toBe(true)
  await expect(settled).rejects.toMatchObject({ code: 'run_detached' })
  const other = testAgent({ replies, tools: [held.tool], store, clock, process: 'p2' })
  expect((await other.agent.resume(runId)).drive).toBe('begun')
  await other.agent.close()
})

test('CKP-05 close does not wait for timers, and returns at once if nothing is running', async () => {
  const { ask } = toolbox()
  const held = heldTool()
  const tools = [ask('ask', { expiresAt: start + 60_000 }), held.tool]
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'ask'), call('c2', 'held')), 'Done'], tools })
  void agent.start('Hi', { runId })
  await held.begins('1.c2')
  await quiet()
  const closing = agent.close({ drainMs: 1000 })
  held.finish('1.c2')
  await closing
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'suspended', '1.c2': 'succeeded' })
  await testAgent().agent.close({ drainMs: 1000 })
})

test('CKP-05 close releases the lease of a run that was just started', async () => {
  const first = testAgent({ replies: ['Done'] })
  void first.agent.start('Hi', { runId })
  await first.agent.close()
  expect(first.prompts).toEqual([])
  const second = testAgent({ replies: ['Done'], store: first.store, clock: first.clock, process: 'p2' })
  expect((await second.agent.resume(runId)).drive).toBe('begun')
})

test.each([[{ drainMs: -1 }], [{ drainMs: Infinity }], [{ drainMs: '5' }], [{ drain: 5 }]])(
  'CKP-05 close refuses %j and leaves the agent open',
  async (options) => {
    const { agent } = testAgent({ replies: ['Done'] })
    expect(() => agent.close(options as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(await agent.run('Hi')).toMatchObject({ text: 'Done' })
  },
)

test('CKP-05 DEC-07 a closing agent leaves a decision that arrives as its run begins to wait to the next driver', async () => {
  const inner = memoryStore()
  const { reply, asked, give } = heldReply()
  const { act, done } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const late: { decide?: () => Promise<void> } = {}
  const store: Store = {
    ...inner,
    async commit(commit) {
      const receipt = await inner.commit(commit)
      if (commit.status === 'waiting') await late.decide?.()
      return receipt
    },
  }
  const first = testAgent({ replies: [reply, 'Done'], tools, store })
  const run = first.agent.start('Hi', { runId })
  const settled = run.settled()
  await asked
  late.decide = async () => {
    void run.settled().catch(() => undefined)
    await inner.decide(runId, [{ target: '1.c1', decisionId: 'd', action: 'resume' }], 0)
  }
  const closing = first.agent.close({ drainMs: 1000 })
  give(calls(call('c1', 'act')))
  await closing
  await settled.catch(() => undefined)
  expect(done).toEqual([])
  const second = testAgent({ replies: ['', 'Done'], tools, store: inner, clock: first.clock, process: 'p2' })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done' })
  expect(done).toEqual(['act {}'])
})
