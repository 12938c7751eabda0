import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/domain/text/json.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

const prompt = 'The prompt that stands in the log.'

function asking(store: Store, process: string) {
  const { act } = toolbox()
  const replies = [calls(call('c1', 'act')), 'Done']
  return testAgent({ replies, tools: [act('act', { needs: 'approval' })], store, process }).agent
}

async function inputOf(store: Store, id: string): Promise<Json> {
  return (await store.read(id)).input
}

/** A store as it was before an input could be replaced. */
function keepingInputs(store: Store): Store {
  return { ...store, commit: ({ input: _, ...commit }) => store.commit(commit) }
}

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
]

test.each(stores)('CKP-04 %s: stores a prompt once, in the log, and the labels of its run', async (_, open) => {
  const store = open()
  const run = asking(store, 'p1').start(prompt, { runId, labels: { folder: '/work' } })
  await run.settled()
  const stored = await store.read(runId)
  expect(stored.input).toMatchObject({ messages: [], labels: { folder: '/work' } })
  const { record, ...others } = stored
  expect(record).toMatchObject({ prompt, labels: { folder: '/work' } })
  expect(JSON.stringify(others).split(prompt)).toHaveLength(2)
  expect(await run.labels()).toEqual({ folder: '/work' })

  const later = await asking(store, 'p2').load(runId)
  await later.approve()
  expect(await later.settled()).toMatchObject({ status: 'done', text: 'Done' })
  await store.close()
})

test('CKP-04 CKP-07 starts a run whose first commit was never made again, with its original prompt', async () => {
  const store = memoryStore()
  const lost: Store = { ...store, commit: () => Promise.reject(new Error('The process is gone.')) }
  await expect(asking(lost, 'p1').run(prompt, { runId })).rejects.toThrow('The process is gone.')
  expect(await inputOf(store, runId)).toMatchObject({ messages: [{ role: 'user' }] })

  await (await asking(store, 'p2').load(runId)).settled()
  expect((await transcriptOf(store, runId))[0]).toBe(`user: ${prompt}`)
  expect(await inputOf(store, runId)).toMatchObject({ messages: [] })
})

test('CKP-04 CKP-08 forks from the prompt of a run whose stored input no longer has it', async () => {
  const store = memoryStore()
  const agent = asking(store, 'p1')
  await agent.run(prompt, { runId })
  const fork = await agent.fork(runId, { from: 1, runId: 'fork' })
  await fork.settled()
  await fork.approve()
  expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect((await transcriptOf(store, 'fork'))[0]).toBe(`user: ${prompt}`)
})

test('CKP-04 CKP-09 resumes and forks a run that was stored with its whole input', async () => {
  const store = memoryStore()
  await asking(keepingInputs(store), 'p1').run(prompt, { runId })
  expect(await inputOf(store, runId)).toMatchObject({ messages: [{ role: 'user' }] })

  const agent = asking(store, 'p2')
  const fork = await agent.fork(runId, { from: 1, runId: 'fork' })
  for (const run of [await agent.load(runId), fork]) {
    await run.settled()
    await run.approve()
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })
    expect((await transcriptOf(store, run.id)).filter((line) => line === `user: ${prompt}`)).toHaveLength(1)
    expect(await inputOf(store, run.id)).toMatchObject({ messages: [] })
  }
})
