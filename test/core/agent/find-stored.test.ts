import { expect, test } from 'vitest'
import { createAgent, type Store, UsageError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
]

test.each(stores)('SES-02 %s: an agent lists its own runs page by page, by labels and status', async (_, open) => {
  const store = open()
  const agent = createAgent({ name: 'guide', model: scripted(['1', '2', '3']), store })
  const labels = { team: 'north' }
  for (const runId of ['a', 'b', 'c'])
    await agent.run(`prompt ${runId}`, { runId, ...(runId === 'b' ? {} : { labels }) })
  await createAgent({ name: 'other', model: scripted(['x']), store }).run('Hi', { runId: 'd', labels })
  const first = await agent.runs({ limit: 2 })
  expect(first.map((run) => 'prompt' in run && run.prompt)).toEqual(['prompt c', 'prompt b'])
  expect((await agent.runs({ limit: 2, before: first.at(-1)?.cursor })).map(({ id }) => id)).toEqual(['a'])
  expect((await agent.runs({ labels, status: 'done', before: undefined })).map(({ id }) => id)).toEqual(['c', 'a'])
  expect(await agent.runs({ session: 's' })).toEqual([])
  expect(await agent.sessions()).toEqual([])
  await store.close()
})

test.each(stores)(
  'CKP-02 %s: an agent lists the calls that wait for answers, and the answers already stored',
  async (_, open) => {
    const store = open()
    const { act } = toolbox()
    const replies = [calls(call('c1', 'act', { amount: 7 })), 'Done']
    const { agent } = testAgent({ replies, tools: [act('act', { needs: 'approval' })], store, process: 'p1' })
    const run = agent.start('Pay', { runId: 'run' })
    await run.settled()
    const [found] = await agent.suspended({ status: 'waiting' })
    expect(found).toMatchObject({
      record: { id: 'run', prompt: 'Pay' },
      calls: [{ callId: '1.c1', toolName: 'act', arguments: { amount: 7 }, suspension: { reason: 'approval' } }],
      answered: [],
    })
    await store.decide('run', [{ target: '1.c1', action: 'resume', by: 'Ann', reason: 'It is due.' }], 5)
    expect(await agent.suspended()).toMatchObject([{ record: { id: 'run' }, answered: ['1.c1'] }])
    await (await agent.resume('run')).run.settled()
    expect(await agent.suspended()).toEqual([])
    const { decisions } = await run.result()
    const decisionId = expect.any(String)
    expect(decisions).toEqual([
      { decisionId, callId: '1.c1', action: 'resume', by: 'Ann', reason: 'It is due.', at: 5 },
    ])
    await store.close()
  },
)

test('SES-02 an agent refuses an invalid filter', async () => {
  const agent = createAgent({ name: 'guide', model: scripted([]) })
  const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['bad_option', () => agent.runs({ status: 'waitng' as 'waiting' })],
    ['bad_option', () => agent.runs({ limit: -1 })],
    ['bad_option', () => agent.runs({ labels: { team: 7 } as never })],
    ['bad_option', () => agent.runs({ agent: 'other' } as never)],
    ['bad_option', () => agent.sessions({ status: 'done' } as never)],
    ['bad_option', () => agent.suspended({ updatedBefore: 1 } as never)],
    ['bad_cursor', () => agent.runs({ before: 'yesterday' })],
    ['bad_cursor', () => agent.sessions({ before: '1' })],
    ['bad_cursor', () => agent.suspended({ before: '1_2_3' })],
  ]
  for (const [code, work] of refused) {
    const error: unknown = await work().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({ code })
  }
})
