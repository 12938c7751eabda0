import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDurablePath } from '../../src/ports.ts'
import type { Store } from '../../src/index.ts'
import type { Commit } from '../../src/core/ports/store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { resultsOf, statusesOf, suspensionOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

/** Two handles on one file, as two processes would have them. */
function twoHandles(): readonly [Store, Store] {
  const folder = mkdtempSync(join(tmpdir(), 'lifecycle-'))
  const open = () => sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal', pollMs: 5 })
  const stores = [open(), open()] as const
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true })
  })
  return stores
}

function gated() {
  const { done, act } = toolbox()
  return {
    done,
    options: { replies: [calls(call('c1', 'gated')), 'Bye'], tools: [act('gated', { needs: 'approval' })] },
  }
}

test('DEC-07 DEC-06 executes once if two processes approve at the same time (S26)', async () => {
  const [left, right] = twoHandles()
  const clock = fakeClock()
  const { done, options } = gated()
  const one = testAgent({ ...options, store: left, clock })
  const two = testAgent({ ...options, store: right, clock, process: 'p2' })
  await one.agent.run('Hi', { runId })
  const runs = [await one.agent.load(runId), await two.agent.load(runId)]

  const answers = await Promise.all(runs.map(async (run) => (await run.approve()).answer))
  expect(answers.toSorted()).toEqual(['applied', 'duplicate'])
  const ends = await Promise.allSettled(runs.map((run) => run.settled()))
  const codes = ends.map((end) => (end.status === 'fulfilled' ? end.value.text : (end.reason as { code: string }).code))
  expect(codes.toSorted()).toEqual(['Bye', 'run_is_driven'])
  expect(done).toEqual(['gated {}'])
})

test('DEC-07 passes a decision from another process to the driver of the run', async () => {
  const [left, right] = twoHandles()
  const clock = fakeClock()
  const { act } = toolbox()
  const held = heldTool('held', { needs: 'approval' })
  const other = heldTool('other')
  const options = {
    replies: [calls(call('c1', 'other'), call('c2', 'held')), 'Bye'],
    tools: [act(), held.tool, other.tool],
  }
  const one = testAgent({ ...options, store: left, clock })
  const run = one.agent.start('Hi', { runId })
  const end = run.settled()
  await other.begins('1.c1')
  await quiet()
  const two = testAgent({ ...options, store: right, clock, process: 'p2' })
  expect((await (await two.agent.load(runId)).approve('1.c2')).answer).toBe('applied')
  await held.begins('1.c2')
  held.finish('1.c2')
  other.finish('1.c1')

  expect((await end).text).toBe('Bye')
})

test('DEC-07 CKP-03 finishes a run in another process after the file was reopened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lifecycle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = fakeClock()
  const { done, options } = gated()
  const steps = [
    async (store: Store) => (await testAgent({ ...options, store, clock }).agent.run('Hi', { runId })).status,
    async (store: Store) => (await (await testAgent({ ...options, store, clock }).agent.load(runId)).approve()).answer,
    async (store: Store) => (await (await testAgent({ ...options, store, clock }).agent.load(runId)).settled()).text,
  ]
  const seen: string[] = []
  for (const step of steps) {
    const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
    seen.push(await step(store))
    await store.close()
    clock.advance(86_400_000)
  }

  expect(seen).toEqual(['waiting', 'applied', 'Bye'])
  expect(done).toEqual(['gated {}'])
})

test('CKP-05 refuses a second driver while the first holds the run, and gives advice (S26)', async () => {
  const held = heldTool()
  const options = { replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const one = testAgent(options)
  const run = one.agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  const two = testAgent({ ...options, store: one.store, clock: one.clock, process: 'p2' })
  const rival = await two.agent.load(runId)

  await expect(rival.settled()).rejects.toMatchObject({ name: 'StoreError', code: 'run_is_driven' })
  expect((await rival.result()).status).toBe('running')
  held.finish('1.c1')
  expect((await end).text).toBe('Bye')
})

test('CKP-05 stops a driver whose run was taken over after its lease expired', async () => {
  const held = heldTool('held', { effects: 'idempotent' })
  const options = { replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const one = testAgent(options)
  const end = one.agent.start('Hi', { runId }).settled()
  await held.begins('1.c1')
  await quiet()
  one.clock.advance(60_000)
  const second = heldTool('held', { effects: 'idempotent' })
  const two = testAgent({ ...options, tools: [second.tool], store: one.store, clock: one.clock, process: 'p2' })
  const taken = (await two.agent.load(runId)).settled()
  await second.begins('1.c1')
  held.finish('1.c1', 'too late')
  await expect(end).rejects.toMatchObject({ name: 'StoreError', code: 'fence_conflict' })
  second.finish('1.c1', 'mine')

  expect((await taken).text).toBe('Bye')
  expect(await resultsOf(one.store, runId)).toEqual({ '1.c1': 'mine' })
})

test('CKP-02 reads run, calls, suspensions and decisions only from the store', async () => {
  const { options } = gated()
  const { agent, store, clock } = testAgent(options)
  await agent.run('Hi', { runId })
  await (await agent.load(runId)).deny(undefined, { reason: 'No' })

  expect(await store.record(runId)).toEqual({
    id: runId,
    agent: 'test',
    status: 'waiting',
    doneReason: 'suspended',
    createdAt: clock.now(),
    updatedAt: clock.now(),
    version: expect.any(Number),
    subject: runId,
    prompt: 'Hi',
    isDriven: false,
  })
  const rows = await store.calls(runId)
  expect(rows.map(({ record }) => [record.callId, record.status, record.suspension])).toEqual([
    ['1.c1', 'suspended', { id: 'sus_p1_1', reason: 'approval', definition: expect.any(String) }],
  ])
  const decisions = await store.inbox(runId, { kinds: ['decision'] })
  expect(decisions.map(({ item }) => item.kind === 'decision' && item.decision.reason)).toEqual(['No'])
  expect((await store.list({ status: 'waiting' })).map(({ id }) => id)).toEqual([runId])
})

test('RUN-11 CKP-02 reads the durable paths by their names', async () => {
  const { options } = gated()
  const { agent, store, clock } = testAgent(options)
  await agent.run('Hi', { runId })
  await (await agent.load(runId)).approve()
  const suspended = await readDurablePath(store, runId, '__suspended_tool_calls')
  const decisions = await readDurablePath(store, runId, '__resume_decisions')

  expect(await readDurablePath(store, runId, '__run')).toEqual({
    id: runId,
    status: 'waiting',
    done_reason: 'suspended',
    code: null,
    updated_at: clock.now(),
  })
  expect(await readDurablePath(store, runId, '__tool_call_states')).toEqual({ '1.c1': 'suspended' })
  expect(suspended['1.c1']).toMatchObject({ toolName: 'gated', suspension: { reason: 'approval' } })
  expect(decisions['1.c1']).toMatchObject({ action: 'resume', suspensionId: 'sus_p1_1' })
})

test('CKP-07 refuses the document of another version, and keeps it', async () => {
  const inner = memoryStore()
  const { options } = gated()
  await testAgent({ ...options, store: inner }).agent.run('Hi', { runId })
  const aged: Store = {
    ...inner,
    async claim(...given) {
      const { run, ...claimed } = await inner.claim(...given)
      const older = (text: string) => JSON.stringify({ ...(JSON.parse(text) as object), schema: 999 })
      const { checkpoint, document } = run
      const agedRun = {
        ...run,
        checkpoint: checkpoint === null ? null : { ...checkpoint, document: older(checkpoint.document) },
        document: document === null ? null : older(document),
      }
      return { ...claimed, run: agedRun }
    },
  }
  const before = await inner.read(runId)
  const run = await testAgent({ ...options, store: aged, process: 'p2' }).agent.load(runId)

  await expect(run.settled()).rejects.toMatchObject({ name: 'SnapshotError', code: 'snapshot_unreadable' })
  expect(await inner.read(runId)).toEqual(before)
  const whole = await testAgent({ ...options, store: inner, process: 'p3' }).agent.load(runId)
  expect((await whole.settled()).status).toBe('waiting')
})

test('CKP-08 reads a run at each checkpoint and forks from one, with its own keys and suspensions', async () => {
  const { done, options } = gated()
  const { agent, store } = testAgent(options)
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  const waiting = (await run.history()).at(-1)
  await run.deny()
  await run.settled()
  const fork = await agent.fork(runId, { from: waiting?.version ?? 0, runId: 'fork-1' })
  const paused = await fork.settled()

  expect((await run.history()).map(({ names }) => names.join('+'))).toEqual([
    'UserMessage',
    'AssistantTurnCommitted+ToolResultsCommitted+RunFinished',
    'UserMessage+ToolResultsCommitted',
    'AssistantTurnCommitted+RunFinished',
  ])
  expect(paused.suspended.map(({ callId }) => callId)).toEqual(['1.c1'])
  expect(await suspensionOf(store, 'fork-1', '1.c1')).not.toBe('sus_p1_1')
  await fork.approve()
  expect((await fork.settled()).text).toBe('Bye')
  expect(done).toEqual(['gated {}'])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
  expect(await statusesOf(store, 'fork-1')).toEqual({ '1.c1': 'succeeded' })
})

test('CKP-04 RUN-10 a late turn writes as many bytes as an early one', async () => {
  const sizes: number[] = []
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    async commit(commit: Commit) {
      sizes.push(JSON.stringify(commit).length)
      return inner.commit(commit)
    },
  }
  const { act } = toolbox()
  const turns = 40
  const { agent } = testAgent({
    store,
    replies: ({ messages }) =>
      messages.length > turns * 2 ? 'Bye' : calls(call('c', 'act', { text: 'x'.repeat(200) })),
    tools: [act()],
    limits: { repeat: 0 },
  })
  await agent.run('Hi', { runId })

  const bytesOf = (from: number) => sizes.slice(from, from + 10).reduce((sum, size) => sum + size, 0)
  expect(bytesOf(60) / bytesOf(10)).toBeLessThan(1.02)
  expect(sizes.length).toBeLessThanOrEqual(2 * turns + 4)
})

test("DEC-07 keeps two runs' transcripts in one store apart", async () => {
  const { options } = gated()
  const { agent, store } = testAgent(options)
  await Promise.all([agent.run('One', { runId: 'a' }), agent.run('Two', { runId: 'b' })])
  await (await agent.load('a')).approve()
  await (await agent.load('a')).settled()

  expect((await transcriptOf(store, 'a'))[0]).toBe('user: One')
  expect(await statusesOf(store, 'b')).toEqual({ '1.c1': 'suspended' })
})
