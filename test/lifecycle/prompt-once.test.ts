import { changedStart } from '../../src/testing/crash/changed-start.ts'
import { expect, test } from 'vitest'
import { call, calls, say } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { Commit, FirstCommit } from '../../src/ports.ts'
import type { Store } from '../../src/index.ts'
import { documentSchema } from '../../src/core/runtime/document.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

interface Written {
  readonly runId: string
  /** Its entries, in order, by kind. */
  readonly kinds: readonly string[]
}

/** A store that notes what is written to it and which transcripts are read. */
function noting(store: Store) {
  const written: Written[] = []
  const reads: string[] = []
  const note = (id: string, { append }: Pick<FirstCommit | Commit, 'append'>) =>
    written.push({ runId: id, kinds: append.map(({ kind }) => kind) })
  const noted: Store = {
    ...store,
    create(run, owner, ttlMs, first) {
      const start = changedStart(first, (commit) => {
        note(run.id, commit)
        return commit
      })
      return store.create(run, owner, ttlMs, start)
    },
    commit(commit) {
      note(commit.runId, commit)
      return store.commit(commit)
    },
    read(id) {
      reads.push(id)
      return store.read(id)
    },
  }
  const kindsOf = (id: string) => written.flatMap((one) => (one.runId === id ? one.kinds : []))
  return { store: noted, reads, kindsOf }
}

function actingAgent(store: Store) {
  const { act } = toolbox()
  const replies = [calls(call('c', 'act')), 'One', 'Two', 'Three', 'Four']
  return testAgent({ replies, tools: [act(), act('gated', { needs: 'approval' })], store })
}

test('AGT-02 a prompt writes only the new part of the conversation, and reads no run that this process has driven', async () => {
  const { store, reads, kindsOf } = noting(memoryStore())
  const { agent } = actingAgent(store)
  let run = agent.start('Hi', { runId })
  await run.settled()
  for (const id of ['run-2', 'run-3', 'run-4']) {
    run = await run.prompt('More', { runId: id })
    await run.settled()
  }
  expect(reads).toEqual([])
  const messages = (id: string) => kindsOf(id).filter((kind) => kind === 'message').length
  expect(['run-2', 'run-3', 'run-4'].map(messages)).toEqual([2, 2, 2])
  expect((await run.messages()).map(say)).toEqual([
    'user: Hi',
    'assistant: calls 1.c act',
    'result 1.c: act done',
    'assistant: One',
    'user: More',
    'assistant: Two',
    'user: More',
    'assistant: Three',
    'user: More',
    'assistant: Four',
  ])
})

test('AGT-02 a prompt continues from the current run with the id, also if another run with it has ended in this process', async () => {
  const store = memoryStore()
  const { agent, clock, prompts } = actingAgent(store)
  const run = agent.start('Hi', { runId })
  await run.settled()
  await store.delete(runId)
  clock.advance(1)
  await agent.start('Anew', { runId }).settled()
  await (await run.prompt('More')).settled()
  expect(prompts.at(-1)).toEqual([
    'user: Anew',
    'assistant: calls 1.c act',
    'result 1.c: act done',
    'assistant: One',
    'user: More',
  ])
})

test('CKP-08 a fork rewrites no settled entry, but writes the open call with its answer and its successors', async () => {
  const { store, kindsOf } = noting(memoryStore())
  const { act } = toolbox()
  const replies = [calls(call('c', 'act')), calls(call('d', 'gated')), 'Bye', 'Bye again']
  const { agent } = testAgent({ replies, tools: [act(), act('gated', { needs: 'approval' })], store })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const fork = await agent.fork(runId, { from: (await store.record(runId)).version, runId: 'fork' })
  expect(kindsOf('fork')).toEqual(['message', 'call', 'checkpoint'])
  await fork.settled()
  await fork.approve()
  expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Bye' })
  await store.delete(runId)
  expect((await fork.messages()).map(say)).toEqual([
    'user: Hi',
    'assistant: calls 1.c act',
    'result 1.c: act done',
    'assistant: calls 2.d gated',
    'result 2.d: gated done',
    'assistant: Bye',
  ])
})

test('AGT-02 CKP-07 a run that was stored with a copy begins after it, and later runs refer to it', async () => {
  const store = memoryStore()
  const { agent, prompts, clock } = actingAgent(store)
  const first = agent.start('Hi', { runId })
  await first.settled()
  const kept = await store.read((await first.prompt('More', { runId: 'like' })).id)
  const copied = (await first.messages()).map(({ place: _, ...message }, index) => ({
    kind: 'message' as const,
    seq: index + 1,
    message,
  }))
  const input = { ...(kept.input as object), carried: copied.length }
  const document = JSON.stringify({ schema: documentSchema, nextSeq: copied.length + 1, root: null })
  const begun = { at: clock.now(), status: 'running', append: copied, calls: [], document, consumed: [] } as const
  const run = { id: 'copy', agent: 'test', input, at: clock.now() }
  await store.release(await store.create(run, { id: 'gone', host: 'there', pid: 1, pidStart: '' }, 1, begun))
  await store.delete(runId)

  const copy = await agent.load('copy')
  await copy.settled()
  const before = ['user: Hi', 'assistant: calls 1.c act', 'result 1.c: act done', 'assistant: One', 'user: More']
  expect(prompts.at(-1)).toEqual(before)
  const answered = (await copy.messages()).map(say)
  expect(answered.slice(0, -1)).toEqual(before)
  await (await copy.prompt('Last')).settled()
  expect(prompts.at(-1)).toEqual([...answered, 'user: Last'])
})
