import { expect, test } from 'vitest'
import { StoreError } from '../../../src/index.ts'
import type { Commit, Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

/** A store that fails the first commit of which something holds. */
function failingOnce(inner: Store, isMeant: (commit: Commit) => boolean, error: Error): Store {
  let hasFailed = false
  return {
    ...inner,
    async commit(commit) {
      if (hasFailed || !isMeant(commit)) return inner.commit(commit)
      hasFailed = true
      throw error
    },
  }
}

test('RUN-06 CKP-05 ends a drive with a typed error if its last commit fails, and the next drive ends the run once (E5)', async () => {
  const { act, done } = toolbox()
  const replies = [calls(call('c1', 'act')), 'Done']
  const inner = memoryStore()
  const store = failingOnce(inner, ({ status }) => status === 'done', new Error('ENOSPC'))
  const { agent } = testAgent({ replies, tools: [act()], store })
  const run = agent.start('Hi', { runId })
  const events = run.events()
  const types: string[] = []
  const watching = (async () => {
    for await (const { type } of events) types.push(type)
  })()

  const failure = run.settled()
  await expect(failure).rejects.toBeInstanceOf(StoreError)
  await expect(failure).rejects.toMatchObject({ code: 'store_unavailable', message: expect.stringContaining('ENOSPC') })
  expect(await inner.record(runId)).toMatchObject({ status: 'running' })

  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })
  await watching
  expect(types.filter((type) => type === 'run.ended')).toEqual(['run.ended'])
  expect(done).toEqual(['act {}'])
  expect((await transcriptOf(inner, runId)).at(-1)).toBe('assistant: Done')
})

test('RUN-06 leaves the stored run unchanged if another process has written meanwhile', async () => {
  const inner = memoryStore()
  const conflict = new StoreError('version_conflict', 'Another commit came first.')
  const store = failingOnce(inner, ({ append }) => append.length > 0, conflict)
  const { agent } = testAgent({ replies: ['Done'], store })
  await expect(agent.run('Hi', { runId })).rejects.toBe(conflict)
  expect(await inner.record(runId)).toMatchObject({ status: 'running', version: 0 })
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Done' })
})

test('RUN-06 CKP-05 reports why a commit failed, even if releasing the lease fails too', async () => {
  const inner = memoryStore()
  const failure = new StoreError('store_unavailable', 'The disk is gone.')
  const store: Store = {
    ...failingOnce(inner, () => true, failure),
    release: () => Promise.reject(new Error('no release either')),
  }
  await expect(testAgent({ replies: ['Done'], store }).agent.run('Hi', { runId })).rejects.toBe(failure)
})

test('RUN-06 CKP-05 reports a lost lease as soon as a renewal notices it, while a tool is still running', async () => {
  const held = heldTool()
  const conflict = new StoreError('fence_conflict', 'Another drives the run.')
  const store: Store = { ...memoryStore(), renew: () => Promise.reject(conflict) }
  const { agent } = testAgent({ replies: [calls(call('c1', 'held')), 'Done'], tools: [held.tool], store, leaseMs: 30 })
  await expect(agent.run('Hi', { runId })).rejects.toBe(conflict)
  expect(held.begun).toEqual(['1.c1'])
})

test('RUN-06 aborts a tool that runs during a failed commit, and keeps its siblings', async () => {
  const held = heldTool('held', { effects: 'none' })
  const { act } = toolbox()
  const inner = memoryStore()
  const isSettlement = ({ calls: rows }: Commit) => rows.some(({ record }) => record.status === 'succeeded')
  const store = failingOnce(inner, isSettlement, new Error('EIO'))
  const tools = [held.tool, act('act', { effects: 'idempotent' })]
  const { agent } = testAgent({ replies: [calls(call('c1', 'held'), call('c2', 'act')), 'Done'], tools, store })
  const run = agent.start('Hi', { runId })
  const failure = run.settled()
  const { signal } = await held.begins('1.c1')
  await expect(failure).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(signal.aborted).toBe(true)

  held.finish('1.c1', 'too late')
  const again = run.settled()
  await held.begins('1.c1')
  held.finish('1.c1', 'in time')
  expect(await again).toMatchObject({ status: 'done' })
  expect(await transcriptOf(inner, runId)).toContain('1.c1 succeeded, result 1.c1: in time')
})

test('RUN-06 ends the drive if a store refuses a commit for news that it does not deliver, and loses nothing', async () => {
  const inner = memoryStore()
  const mute: Store = {
    ...inner,
    commit: async (commit) => (commit.status === 'running' ? inner.commit(commit) : { refused: 'inbox' }),
  }
  const failure = testAgent({ replies: ['Done'], store: mute }).agent.run('Hi', { runId })
  await expect(failure).rejects.toBeInstanceOf(StoreError)
  await expect(failure).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('lists none. The run stays at its last commit'),
  })
  expect(await inner.record(runId)).toMatchObject({ status: 'running' })
  const { agent } = testAgent({ replies: ['Done'], store: inner, process: 'p2' })
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Done' })
})
