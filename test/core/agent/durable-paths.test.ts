import { expect, test } from 'vitest'
import { pruneRuns } from '../../../src/index.ts'
import { readDurablePath } from '../../../src/ports.ts'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { suspensionOf } from '../../../proof/support/read-run.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { listSessions } from '../../../src/core/driving/find-sessions.ts'

const replies = [
  {
    toolCalls: [
      { id: 'c1', name: 'look', arguments: {} },
      { id: 'c2', name: 'write', arguments: { n: 1 } },
    ],
  },
  'Bye',
]

test('CKP-02 RUN-11 reads run, calls, suspensions and decisions by name while nothing is running', async () => {
  const { act } = toolbox()
  const tools = [act('look'), act('write', { needs: 'approval' })]
  const { agent, store, clock } = testAgent({ replies, tools, onPartialSuspension: 'wait' })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const suspension = {
    id: await suspensionOf(store, runId, '1.c2'),
    reason: 'approval',
    definition: expect.any(String),
  }

  expect(await readDurablePath(store, runId, '__run')).toEqual({
    id: runId,
    status: 'waiting',
    done_reason: 'suspended',
    code: null,
    updated_at: clock.now(),
  })
  expect(await readDurablePath(store, runId, '__tool_call_states')).toEqual({
    '1.c1': 'succeeded',
    '1.c2': 'suspended',
  })
  const suspended = await readDurablePath(store, runId, '__suspended_tool_calls')
  expect(Object.keys(suspended)).toEqual(['1.c2'])
  expect(suspended['1.c2']).toEqual({
    callId: '1.c2',
    toolCallId: 'c2',
    toolName: 'write',
    arguments: { n: 1 },
    suspension,
    resumeMode: 'replay',
    status: 'suspended',
    seq: 7,
    messageSeq: 5,
    revision: 0,
  })
  expect(await readDurablePath(store, runId, '__resume_decisions')).toEqual({})

  await run.deny('1.c2', { reason: 'no' })
  const decisions = await readDurablePath(store, runId, '__resume_decisions')
  expect(decisions['1.c2']).toMatchObject({ action: 'cancel', reason: 'no', suspensionId: suspension.id })
})

test('CKP-09 prunes only finished runs that have not changed since the given time', async () => {
  const { act } = toolbox()
  const tools = [act('look'), act('write', { needs: 'approval' })]
  const { agent, store, clock } = testAgent({ replies, tools })
  await agent.run('Hi', { runId: 'waits' })
  const other = testAgent({ replies: ['Bye'], store, clock, process: 'p2' })
  await other.agent.run('Hi', { runId: 'old' })
  clock.advance(1000)
  await other.agent.run('Hi', { runId: 'new' })

  expect(await pruneRuns(store, { before: clock.now() })).toEqual(['old'])
  const left = await store.list()
  expect(left.map(({ id }) => id).toSorted()).toEqual(['new', 'waits'])
})

test('CKP-09 AGT-02 prunes the first runs of a conversation, and the last run still reads the same messages', async () => {
  const { agent, store, clock } = testAgent({ replies: ['One', 'Two', 'Three'] })
  const first = agent.start('Hi', { runId: 'first' })
  await first.settled()
  const second = await first.prompt('More', { runId: 'second' })
  await second.settled()
  clock.advance(1000)
  const before = clock.now()
  const last = await second.prompt('Last', { runId: 'newest' })
  await last.settled()
  const messages = await last.messages()

  expect(messages).toHaveLength(6)
  expect((await pruneRuns(store, { before })).toSorted()).toEqual(['first', 'second'])
  const bare = messages.map(({ turn: _, runId: __, ...message }) => message)
  expect(await last.messages()).toEqual([...bare.slice(0, 4), ...messages.slice(4)])
})

test('CKP-09 prunes every old run, even behind many newer runs and runs that it may not delete', async () => {
  const { agent, store, clock } = testAgent({ replies: Array.from({ length: 1100 }, () => 'Bye') })
  for (let index = 0; index < 3; index++) await agent.run('Hi')
  const driven = new Set<string>()
  for (let index = 0; index < 1005; index++) driven.add((await agent.run('Hi')).runId)
  clock.advance(1000)
  const before = clock.now()
  await agent.run('Hi', { runId: 'new' })
  const held: Store = {
    ...store,
    delete: (id) => {
      const isDriven = typeof id === 'string' && driven.has(id)
      return isDriven ? Promise.reject(new StoreError('run_is_driven', id)) : store.delete(id)
    },
  }

  expect(await pruneRuns(held, { before })).toHaveLength(3)
  expect(await pruneRuns(store, { before, limit: 2 })).toHaveLength(2)
  expect(await pruneRuns(store, { before })).toHaveLength(1003)
  expect((await store.list()).map(({ id }) => id)).toEqual(['new'])
})

test('SES-02 prunes sessions with their last run, unless a session was active since or a run is just beginning in it', async () => {
  const { agent, store, clock } = testAgent({ replies: ['One', 'Two', 'Three'], configId: 'c' })
  for (const id of ['old', 'busy']) await (await agent.session(id).prompt('Hi')).settled()
  await agent.session('said').steer('Be brief')
  clock.advance(1000)
  const before = clock.now()
  await agent.session('young').steer('Be brief')
  const prompting: Store = {
    ...store,
    async list(filter) {
      const runs = await store.list(filter)
      if (filter?.session === 'busy') await (await agent.session('busy').prompt('More')).settled()
      return runs
    },
  }
  const ids = async () => (await listSessions(store)).map(({ id }) => id).toSorted()
  expect(await pruneRuns(store, { before, limit: 0 })).toEqual([])
  expect(await ids()).toEqual(['busy', 'old', 'said', 'young'])
  expect((await pruneRuns(prompting, { before })).toSorted()).toEqual(['busy.c.1', 'old.c.1'])
  expect(await ids()).toEqual(['busy', 'young'])
  expect(await store.list()).toHaveLength(1)
})
