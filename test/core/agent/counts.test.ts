import { expect, test } from 'vitest'
import type { InspectionEvent } from 'xstate'
import { toolbox } from '../../../proof/support/tools.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

/**
 * The cost of a turn with one call and no listeners, counted and not timed. Fifteen microsteps: one of the model call, four
 * of the tool call, its stop included, ten of the run. Four of these pass by what nobody listens to, without an action:
 * `afterModel`, `stepEnd`, `afterTurn` and the way on from there.
 */
const perTurn = { commits: 2, actors: 4, microsteps: 15 }

test('RUN-10 CKP-04 spends the same commits, actors and microsteps on every turn', async () => {
  const short = await costOf(1)
  const long = await costOf(11)
  const turns = 10
  expect({
    commits: (long.commits - short.commits) / turns,
    actors: (long.actors - short.actors) / turns,
    microsteps: (long.microsteps - short.microsteps) / turns,
  }).toEqual(perTurn)
})

test('CKP-04 writes documents that do not grow with the conversation', async () => {
  const { documents } = await costOf(40)
  const early = Math.max(...documents.slice(2, 6))
  const late = Math.max(...documents.slice(-6))
  expect(late).toBeLessThan(early + 40)
})

test('RUN-10 does not read a run again when it begins to wait, if its last commit released the lease', async () => {
  const store = memoryStore()
  const looks = { record: 0, inbox: 0 }
  const counting: Store = {
    ...store,
    record: (id) => (looks.record++, store.record(id)),
    inbox: (...asked) => (looks.inbox++, store.inbox(...asked)),
  }
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: {} }] }, 'Bye']
  const { agent } = testAgent({ replies, tools: [toolbox().act('act', { needs: 'approval' })], store: counting })
  expect((await agent.run('Hi', { runId })).status).toBe('waiting')
  expect(looks).toEqual({ record: 0, inbox: 1 })
})

test('RUN-10 reads the grants for a call in one look, and the calls of a run once for an approval', async () => {
  const store = memoryStore()
  const looks = { records: 0, calls: 0 }
  const counting: Store = {
    ...store,
    records: (reads) => (looks.records++, store.records(reads)),
    calls: (...asked) => (looks.calls++, store.calls(...asked)),
  }
  const replies = [{ toolCalls: [{ id: 'c1', name: 'act', arguments: {} }] }, 'Bye']
  const { agent } = testAgent({ replies, tools: [toolbox().act('act', { needs: 'approval' })], store: counting })
  await agent.run('Hi', { runId })
  expect(looks).toEqual({ records: 1, calls: 0 })
  expect(await (await agent.load(runId)).approve()).toMatchObject({ answer: 'applied' })
  expect(looks).toEqual({ records: 1, calls: 1 })
})

async function costOf(turns: number) {
  const { act } = toolbox()
  const counts = { actors: 0, microsteps: 0 }
  const replies = [
    ...Array.from({ length: turns }, (_, turn) => ({ toolCalls: [{ id: `c${turn}`, name: 'act', arguments: {} }] })),
    'Bye',
  ]
  const inspect = ({ type }: InspectionEvent) => {
    if (type === '@xstate.actor') counts.actors++
    if (type === '@xstate.microstep') counts.microsteps++
  }
  const { agent, store } = testAgent({ replies, tools: [act()], inspect, limits: { repeat: 0 } })
  await agent.run('Hi', { runId })
  const checkpoints = await store.checkpoints(runId)
  const documents: number[] = []
  for (const { version } of checkpoints) {
    documents.push((await store.checkpoint(runId, version)).checkpoint?.document.length ?? 0)
  }
  return { ...counts, commits: (await store.record(runId)).version, documents }
}
