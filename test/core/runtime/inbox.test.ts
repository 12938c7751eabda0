import { expect, test } from 'vitest'
import type { Commit, CommitReceipt, CommitRefused, Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { checkpointsOf, resultsOf, transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolbox } from '../../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'

interface Watched {
  readonly store: Store
  readonly answers: readonly (CommitReceipt | CommitRefused)[]
}

/** A store in which something is posted at the last moment before a commit of that status. */
function postingBefore(status: Commit['status'], post: (inner: Store) => Promise<unknown>): Watched {
  const inner = memoryStore()
  const answers: (CommitReceipt | CommitRefused)[] = []
  let isPosted = false
  const store: Store = {
    ...inner,
    async commit(commit) {
      if (commit.status !== status || isPosted) return inner.commit(commit)
      isPosted = true
      await post(inner)
      const answer = await inner.commit(commit)
      answers.push(answer)
      return answer
    },
  }
  return { store, answers }
}

test('DEC-04 DEC-09 does not rest while a cancel of a call that arrived just before the commit is unread', async () => {
  const { act, done } = toolbox()
  const cancel = (inner: Store) =>
    inner.post(runId, { kind: 'cancelCall', callId: '1.c1', reason: 'Changed my mind' }, 1)
  const { store, answers } = postingBefore('waiting', cancel)
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'put')), 'Done'],
    tools: [act('act', { needs: 'approval' }), act('put')],
    onPartialSuspension: 'wait',
    store,
  })
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'done', text: 'Done' })
  expect(answers).toEqual([{ refused: 'inbox' }])
  expect(done).toEqual(['put {}'])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Changed my mind', '1.c2': 'put done' })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})

test('DEC-04 applies an approval that arrives between the waiting step and its commit', async () => {
  const { act, done } = toolbox()
  const approve = (inner: Store) => inner.decide(runId, [{ target: '1.c1', action: 'resume' }], 1)
  const { store, answers } = postingBefore('waiting', approve)
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'put')), 'Meanwhile', 'Done'],
    tools: [act('act', { needs: 'approval' }), act('put')],
    store,
  })
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'done', text: 'Done' })
  expect(answers).toEqual([{ refused: 'inbox' }])
  expect(done).toEqual(['put {}', 'act {}'])
})

test('RUN-07 carries out a cancel that arrives between the answer and the commit of the end', async () => {
  const { store, answers } = postingBefore('done', (inner) => inner.post(runId, { kind: 'cancel' }, 1))
  const { agent, prompts } = testAgent({ replies: ['Done'], store })
  expect(await agent.run('Hi', { runId })).toMatchObject({ status: 'done', outcome: { reason: 'cancelled' } })
  expect([answers, prompts.length]).toEqual([[{ refused: 'inbox' }], 1])
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect(await checkpointsOf(store, runId)).toEqual(['UserMessage', 'RunFinished'])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'user: [Run cancelled while the model was answering.]'])
})

test('DEC-04 DEC-07 passes a decision from another process to the driving process', async () => {
  const path = `${await temporaryFolder()}/runs.db`
  const here = sqliteStore(path, { pollMs: 5, synchronous: 'normal' })
  const elsewhere = sqliteStore(path, { synchronous: 'normal' })
  const held = heldTool()
  const { act } = toolbox()
  const approved = heldTool('approved', { needs: 'approval' })
  const replies = [calls(call('c1', 'approved'), call('c2', 'held'), call('c3', 'act')), 'Done']
  const tools = [approved.tool, held.tool, act()]
  const driver = testAgent({ replies, tools, store: here })
  const driving = driver.agent.start('Hi', { runId }).settled()
  await held.begins('1.c2')

  const other = testAgent({ replies, tools, store: elsewhere, process: 'p2' })
  const run = await other.agent.load(runId)
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'applied' })
  await approved.begins('1.c1')
  await run.cancelCall('1.c2', 'Not needed')
  approved.finish('1.c1')
  expect(await driving).toMatchObject({ status: 'done', text: 'Done' })
  expect(await resultsOf(elsewhere, runId)).toEqual({
    '1.c1': 'approved done',
    '1.c2': 'Not needed',
    '1.c3': 'act done',
  })
  await here.close()
  await elsewhere.close()
})

test('RUN-07 DEC-07 a cancel from here ends a run that another process drives', async () => {
  const path = `${await temporaryFolder()}/runs.db`
  const here = sqliteStore(path, { pollMs: 5, synchronous: 'normal' })
  const elsewhere = sqliteStore(path, { synchronous: 'normal' })
  const held = heldTool()
  const driver = testAgent({ replies: [calls(call('c1', 'held')), 'Done'], tools: [held.tool], store: here })
  const driving = driver.agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  await (await testAgent({ store: elsewhere, process: 'p2' }).agent.load(runId)).cancel()
  expect(await driving).toMatchObject({ status: 'done', outcome: { reason: 'cancelled' } })
  await here.close()
  await elsewhere.close()
})

test('RUN-07 leaves no note of a cancel that arrives just before the next model call is committed', async () => {
  const inner = memoryStore()
  let isPosted = false
  const store: Store = {
    ...inner,
    async commit(commit) {
      const isRound = commit.append.some(
        (entry) => entry.kind === 'checkpoint' && entry.names.includes('ToolResultsCommitted'),
      )
      if (isRound && !isPosted) {
        isPosted = true
        await inner.post(runId, { kind: 'cancel' }, 1)
      }
      return inner.commit(commit)
    },
  }
  const { agent, prompts } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [toolbox().act()], store })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({ reason: 'cancelled' })
  expect(prompts.length).toBe(1)
  expect(await transcriptOf(store, runId)).toEqual([
    'user: Hi',
    'assistant: calls 1.c1 act',
    '1.c1 succeeded, result 1.c1: act done',
  ])
})

test.each([
  ['resume', 'cancel', 'No.'],
  ['cancel', 'resume', 'act done'],
] as const)(
  'DEC-04 DEC-06 after a kept %s, a later %s counts that is read with the cancel of the call before it',
  async (earlier, later, result) => {
    const inner = memoryStore()
    const reads: { next?: Promise<void> } = {}
    const store: Store = {
      ...inner,
      inbox: async (...asked) => {
        await reads.next
        return inner.inbox(...asked)
      },
    }
    const held = heldTool()
    const { act } = toolbox()
    const replies = [calls(call('c1', 'held'), call('c2', 'act')), 'Done']
    const tools = [held.tool, act('act', { needs: 'approval' })]
    const { agent } = testAgent({ store, replies, tools, executor: 'sequential', decisions: 'gate' })
    const decide = (action: 'resume' | 'cancel') =>
      inner.decide(runId, [{ target: '1.c2', action, ...(action === 'cancel' && { reason: 'No.' }) }], 1)
    const driving = agent.start('Hi', { runId }).settled()
    await held.begins('1.c1')
    expect(await decide(earlier)).toMatchObject([{ answer: 'kept' }])
    await quiet()
    expect(await store.inbox(runId, { isOpen: true })).toEqual([])
    const both = Promise.withResolvers<void>()
    reads.next = both.promise
    await inner.post(runId, { kind: 'cancelCall', callId: '1.c1', reason: 'Not needed' }, 1)
    expect(await decide(later)).toMatchObject([{ answer: 'kept' }])
    both.resolve()
    expect(await driving).toMatchObject({ status: 'done', text: 'Done' })
    expect(await resultsOf(inner, runId)).toEqual({ '1.c1': 'Not needed', '1.c2': result })
  },
)
