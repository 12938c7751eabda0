import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Store } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldReply, quiet, runId, stop, testAgent, type TestAgent } from '../../../proof/support/test-agent.ts'
import { resultsOf, statusesOf } from '../../../proof/support/read-run.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { heldTool, toolbox, toolNamed } from '../../../proof/support/tools.ts'

const one = calls(call('c1', 'pay'))
const two = calls(call('c1', 'held'), call('c2', 'pay'))

/** A run whose agent was closed while its model answered; the answer calls a tool that must not run twice unasked. */
async function drainedWhileAnswering(store: Store = memoryStore()) {
  const { reply, asked, give } = heldReply()
  const { act, done } = toolbox()
  const first = testAgent({ replies: [reply, 'Done'], tools: [act('pay')], store })
  void first.agent.start('Hi', { runId })
  await asked
  const closing = first.agent.close({ drainMs: 1000 })
  give(one)
  await closing
  expect(done).toEqual([])
  return { ...first, done }
}

/** The result of a run in another process. */
function next({ store, clock }: TestAgent, tools: Parameters<typeof testAgent>[0], process = 'p2') {
  return testAgent({ replies: [one, 'Done'], store, clock, process, ...tools })
}

const stores = {
  memory: () => memoryStore(),
  sqlite: async () => sqliteStore(join(await temporaryFolder(), 'runs.db')),
}

test.for(['memory', 'sqlite'] as const)(
  'CKP-05 TC-08 runs a once call of an answer that arrived while draining in the next process, once and without a question: %s',
  async (kind) => {
    const first = await drainedWhileAnswering(await stores[kind]())
    const attempts: number[] = []
    const tools = [toolNamed('pay', (_, { attempt }) => `paid ${attempts.push(attempt)}`)]
    const second = next(first, { tools })
    const end = await (await second.agent.load(runId)).settled()
    expect(end).toMatchObject({ status: 'done', text: 'Done', suspended: [] })
    expect(attempts).toEqual([1])
    expect(await resultsOf(first.store, runId)).toEqual({ '1.c1': 'paid 1' })
    expect([first.prompts.length, second.prompts.length]).toEqual([1, 1])
    await first.store.close()
  },
)

test('CKP-05 TC-08 asks about a once call that was released and begun again when its new process dies', async () => {
  const first = await drainedWhileAnswering()
  const held = heldTool('pay')
  const second = next(first, { tools: [held.tool] })
  const run = await second.agent.load(runId)
  const driving = run.settled()
  await held.begins('1.c1')
  await stop(run, driving)

  const third = next(first, { tools: [held.tool] }, 'p3')
  const end = await (await third.agent.load(runId)).settled()
  expect(end.suspended).toMatchObject([{ callId: '1.c1', suspension: { reason: 'interrupted' } }])
  expect(held.begun).toEqual(['1.c1'])
})

test('CKP-05 TC-08 releases the next call of a sequential round', async () => {
  const held = heldTool()
  const { act, done } = toolbox()
  const tools = [held.tool, act('pay')]
  const first = testAgent({ replies: [two, 'Done'], tools, executor: 'sequential' })
  void first.agent.start('Hi', { runId })
  await held.begins('1.c1')
  const closing = first.agent.close({ drainMs: 1000 })
  await quiet()
  held.finish('1.c1', 'held done')
  await closing
  expect([done, await statusesOf(first.store, runId)]).toEqual([[], { '1.c1': 'succeeded', '1.c2': 'running' }])

  const second = next(first, { tools, executor: 'sequential' })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done', suspended: [] })
  expect([held.begun, done]).toEqual([['1.c1'], ['pay {}']])
})

test('CKP-05 RUN-06 a detach during a commit releases the work that the commit would have begun', async () => {
  const slow = heldCommits(2)
  const { act, done } = toolbox()
  const first = testAgent({ replies: [one, 'Done'], tools: [act('pay')], store: slow.store })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  await slow.isHeld
  const detached = run.detach()
  slow.release()
  await detached
  await expect(driving).rejects.toMatchObject({ code: 'run_detached' })
  expect([done, await statusesOf(first.store, runId)]).toEqual([[], { '1.c1': 'running' }])

  const second = next(first, { tools: [act('pay')] })
  expect(await (await second.agent.load(runId)).settled()).toMatchObject({ status: 'done', suspended: [] })
  expect(done).toEqual(['pay {}'])
})

/** A store whose answer to one commit is held, after the commit has been made. */
function heldCommits(which: number) {
  const inner = memoryStore()
  const held = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  let count = 0
  const commit: Store['commit'] = async (given) => {
    const receipt = await inner.commit(given)
    if (++count === which) {
      held.resolve()
      await go.promise
    }
    return receipt
  }
  return { store: { ...inner, commit }, isHeld: held.promise, release: go.resolve }
}

test('CKP-05 CKP-08 a fork of an answer that a drain kept asks before it runs a once call, as every fork of an answer does', async () => {
  const first = await drainedWhileAnswering()
  const { act, done } = toolbox()
  const { agent } = next(first, { tools: [act('pay')] })
  const answered = (await first.store.checkpoints(runId)).at(-1)
  expect(answered?.names).toEqual(['AssistantTurnCommitted'])
  const fork = await agent.fork(runId, { from: answered?.version ?? 0, runId: 'fork' })
  expect((await fork.settled()).suspended).toMatchObject([{ callId: '1.c1', suspension: { reason: 'interrupted' } }])
  expect(done).toEqual([])
})

test('CKP-05 CKP-04 writes nothing more if all committed work has been launched', async () => {
  const held = heldTool('pay')
  const { agent, store } = testAgent({ replies: [one, 'Done'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  await held.begins('1.c1')
  const { version } = await store.record(runId)
  await stop(run, driving)
  expect((await store.record(runId)).version).toBe(version)
})

test('CKP-04 TC-08 resuming a run writes only the calls that change, not those that still wait', async () => {
  const { act } = toolbox()
  const inner = memoryStore()
  const tools = [act('act', { needs: 'approval' })]
  const both = [calls(call('c1', 'act'), call('c2', 'act')), 'Done']
  const first = testAgent({ replies: both, tools, store: inner })
  await first.agent.run('Hi', { runId })
  const written: string[] = []
  const store: Store = {
    ...inner,
    commit(commit) {
      written.push(...commit.calls.map(({ record }) => record.callId))
      return inner.commit(commit)
    },
  }
  const second = testAgent({ replies: both, tools, store, clock: first.clock, process: 'p2' })
  const run = await second.agent.load(runId)
  await run.approve('1.c1')
  expect((await run.settled()).status).toBe('waiting')
  expect(new Set(written)).toEqual(new Set(['1.c1']))
})
