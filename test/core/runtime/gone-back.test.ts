import { expect, test } from 'vitest'
import type { Commit, CommitReceipt, CommitRefused, Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import { resultsOf, statusesOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../../proof/support/tools.ts'

interface Around {
  /** Comes after the inbox was read and before its driver knows. */
  readonly reading?: () => Promise<unknown>
  /** Comes before the commit is made. */
  readonly before?: (commit: Commit) => Promise<void>
  /** Comes after it was made and before its driver knows. */
  readonly after?: (commit: Commit) => Promise<void>
}

/** A store with something that happens around its reads and commits; `refused` are the commits that were refused. */
function around(inner: Store, { reading, before, after }: Around): { store: Store; refused: Commit[] } {
  const refused: Commit[] = []
  const store: Store = {
    ...inner,
    async inbox(...asked) {
      const rows = await inner.inbox(...asked)
      await reading?.()
      return rows
    },
    async commit(commit): Promise<CommitReceipt | CommitRefused> {
      await before?.(commit)
      const receipt = await inner.commit(commit)
      if ('refused' in receipt) refused.push(commit)
      else await after?.(commit)
      return receipt
    },
  }
  return { store, refused }
}

/** Does a thing at most once. */
function once(act: () => Promise<unknown>): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone) return
    isDone = true
    await act()
  }
}

const asking = ({ calls: changed }: Commit) =>
  changed.some(({ record }) => record.callId === '1.c1' && record.suspension !== undefined)

test("TC-08 DEC-06 keeps a sibling's recorded step although its commit is refused", async () => {
  const inner = memoryStore()
  const deny = once(() => inner.decide(runId, [{ target: '1.c1', action: 'cancel', reason: 'No.' }], 1))
  const reads: { next?: Promise<void> } = {}
  const { store, refused } = around(inner, {
    reading: async () => reads.next,
    before: async (commit) => (asking(commit) ? deny() : undefined),
  })
  const both = Promise.withResolvers<void>()
  const done: string[] = []
  const ask = toolNamed('ask', async (_, { decision, suspend }) => {
    await both.promise
    return decision === undefined ? suspend() : done.push('paid')
  })
  const sibling = toolNamed('sibling', async (_, { step }) => {
    await both.promise
    await step('charge', async () => void done.push('charged'))
    await step('mail', async () => void done.push('mailed'))
    return 'done'
  })
  const replies = [calls(call('c1', 'ask'), call('c2', 'sibling')), 'Bye']
  const { agent } = testAgent({ store, replies, tools: [ask, sibling] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  while ((await inner.calls(runId)).length === 0) await quiet()
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'kept' })
  await quiet()
  // While the inbox is read, both tools come back.
  const reading = Promise.withResolvers<void>()
  reads.next = reading.promise
  await run.steer('Go on.')
  await quiet()
  both.resolve()
  await quiet()
  reading.resolve()

  expect(await end).toMatchObject({ status: 'done', text: 'Bye' })
  const steps = refused.map(({ calls: changed }) => changed.flatMap(({ record }) => record.steps?.done ?? []))
  expect(steps).toEqual([[{ name: 'charge' }]])
  expect(await resultsOf(inner, runId)).toEqual({ '1.c1': 'No.', '1.c2': 'done' })
  expect(done).toEqual(['charged', 'mailed'])
})

test('TC-08 begins once a call that was recorded but not begun when a commit is refused', async () => {
  const inner = memoryStore()
  const expiresAt = start + 1000
  const starts = ({ append }: Commit) => append.some((entry) => entry.kind === 'call' && entry.call.callId === '2.c2')
  const expires = ({ calls: changed }: Commit) => changed.some(({ record }) => record.status === 'cancelled')
  const approve = once(() => inner.decide(runId, [{ target: '1.c1', action: 'resume' }], start))
  const { store, refused } = around(inner, {
    after: async (commit) => {
      if (!starts(commit)) return
      clock.advance(1000)
      await quiet()
    },
    before: async (commit) => (expires(commit) ? approve() : undefined),
  })
  const held = heldTool()
  const { ask, act, done } = toolbox()
  const { agent, clock } = testAgent({
    store,
    replies: [calls(call('c1', 'ask'), call('c0', 'act')), calls(call('c2', 'held')), 'Bye'],
    tools: [ask('ask', { expiresAt }), act(), held.tool],
  })
  const end = agent.run('Hi', { runId })
  await held.begins('2.c2')
  await quiet()
  held.finish('2.c2')

  expect(await end).toMatchObject({ status: 'done', text: 'Bye' })
  expect(refused.length).toBe(1)
  expect(held.begun).toEqual(['2.c2'])
  expect(done).toEqual(['ask {}', 'act {}', 'ask {}'])
  expect(await statusesOf(inner, runId)).toEqual({ '1.c1': 'succeeded', '1.c0': 'succeeded', '2.c2': 'succeeded' })
})

test('AGT-12 counts the running time before a commit that is refused', async () => {
  const inner = memoryStore()
  const deny = once(() => inner.decide(runId, [{ target: '1.c1', action: 'cancel', reason: 'No.' }], 1))
  const { store, refused } = around(inner, { before: async (commit) => (asking(commit) ? deny() : undefined) })
  const ask = heldTool('ask')
  const held = heldTool()
  const { agent, clock } = testAgent({
    store,
    limits: { maxDurationMs: 1000 },
    replies: [calls(call('c1', 'ask'), call('c2', 'held')), 'Bye'],
    tools: [ask.tool, held.tool],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  const { suspend } = await ask.begins('1.c1')
  await held.begins('1.c2')
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'kept' })
  await quiet()
  clock.advance(600)
  ask.finish('1.c1', suspend())
  await quiet()
  expect(refused.length).toBe(1)
  clock.advance(400)

  expect((await end).outcome).toEqual({ reason: 'stopped', code: 'max_duration' })
  expect(await statusesOf(inner, runId)).toEqual({ '1.c1': 'cancelled', '1.c2': 'cancelled' })
})
