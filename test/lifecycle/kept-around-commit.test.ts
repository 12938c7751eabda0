import { expect, test } from 'vitest'
import type { Decision } from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'

const stores: readonly (readonly [name: string, open: () => Store | Promise<Store>])[] = [
  ['memory', memoryStore],
  ['SQLite', async () => sqliteStore(`${await temporaryFolder()}/runs.db`)],
]

/** A store in which somebody decides right before and right after the commit that first holds a suspension. */
function decidingAround(inner: Store, before: readonly Decision[], after: readonly Decision[]) {
  const answers: string[] = []
  const decide = async (decision: Decision) =>
    answers.push(...(await inner.decide(runId, [decision], 0)).map(({ answer }) => answer))
  let isDecided = false
  const store: Store = {
    ...inner,
    async commit(commit) {
      if (isDecided || !commit.calls.some(({ record }) => record.status === 'suspended')) return inner.commit(commit)
      isDecided = true
      for (const decision of before) await decide(decision)
      const answer = await inner.commit(commit)
      for (const decision of after) await decide(decision)
      return answer
    },
  }
  return { store, answers }
}

const approval: Decision = { target: '1.c1', action: 'resume' }
const denial: Decision = { target: '1.c1', action: 'cancel' }

for (const [name, open] of stores) {
  test.for([
    { before: [approval], after: [approval, denial], expected: ['kept', 'duplicate', 'stale'], status: 'succeeded' },
    { before: [denial], after: [denial, approval], expected: ['kept', 'duplicate', 'stale'], status: 'cancelled' },
    { before: [approval, denial], after: [], expected: ['kept', 'kept'], status: 'cancelled' },
  ])(`DEC-06 accepts one answer if somebody clicks before and after the call suspends (${name}, %j)`, async (row) => {
    const { before, after, expected, status } = row
    const inner = await open()
    const { store, answers } = decidingAround(inner, before, after)
    const { done, ask } = toolbox()
    const slow = heldTool('slow')
    const { agent } = testAgent({
      store,
      replies: [calls(call('c1', 'ask'), call('c2', 'slow')), 'Bye'],
      tools: [ask(), slow.tool],
    })
    const run = agent.start('Hi', { runId })
    const end = run.settled()
    await slow.begins('1.c2')
    while (answers.length < expected.length) await new Promise(setImmediate)
    slow.finish('1.c2')

    expect(await end).toMatchObject({ status: 'done', outcome: { reason: 'natural_end' }, text: 'Bye' })
    expect(answers).toEqual(expected)
    expect(await statusesOf(inner, runId)).toEqual({ '1.c1': status, '1.c2': 'succeeded' })
    expect(done).toEqual(status === 'succeeded' ? ['ask {}', 'ask {}'] : ['ask {}'])
    expect(await inner.inbox(runId, { isOpen: true })).toEqual([])
    await inner.close()
  })
}
