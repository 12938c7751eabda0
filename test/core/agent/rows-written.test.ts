import { expect, test } from 'vitest'
import type { Store } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, stop, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool } from '../../../proof/support/tools.ts'

const replies = [calls(call('c1', 'held'), call('c2', 'held'), call('c3', 'held')), 'Done']

/** A store that notes the calls whose rows each commit without a checkpoint writes, and tells of the first of them. */
function noting(inner: Store) {
  const written: (readonly string[])[] = []
  const first = Promise.withResolvers<void>()
  const store: Store = {
    ...inner,
    async commit(commit) {
      const receipt = await inner.commit(commit)
      if (commit.append.every(({ kind }) => kind !== 'checkpoint')) {
        written.push(commit.calls.map(({ record }) => record.callId))
        first.resolve()
      }
      return receipt
    },
  }
  return { store, written, first: first.promise }
}

test('CKP-04 TC-08 writes only the calls that change between checkpoints, in a new drive and in a resumed one', async () => {
  const inner = memoryStore()
  const begun = heldTool('held', { effects: 'none' })
  const one = noting(inner)
  const first = testAgent({ replies, tools: [begun.tool], store: one.store })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  for (const id of ['1.c1', '1.c2', '1.c3']) await begun.begins(id)
  begun.finish('1.c1')
  await one.first
  await stop(run, driving)
  expect(one.written).toEqual([['1.c1']])

  const again = heldTool('held', { effects: 'none' })
  const other = noting(inner)
  const { agent } = testAgent({ replies, tools: [again.tool], store: other.store, clock: first.clock, process: 'p2' })
  const next = await agent.load(runId)
  const end = next.settled()
  for (const id of ['1.c2', '1.c3']) await again.begins(id)
  again.finish('1.c2')
  await other.first
  expect(other.written).toEqual([['1.c2']])
  again.finish('1.c3')
  expect((await end).status).toBe('done')
})
