import { expect, test } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

const ids: readonly unknown[] = [5, true, ['a'], { toString: () => 'a' }, Symbol('a'), 5n, new Date(0)]
const stores = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
] as const

// A number was stored as it was, a list was the run's own key in memory, and SQLite threw errors of the driver.
test.each(stores.flatMap(([name, make]) => ids.map((id) => ({ name, make, id }))))(
  'RUN-05 CKP-09 $name: refuses $id as a run id everywhere, and stores nothing',
  async ({ make, id }) => {
    await using store = { ...make(), [Symbol.asyncDispose]: async () => store.close() }
    const { agent } = testAgent({ replies: ['Hi.'], store })
    const odd = id as string
    await agent.run('Hi', { runId: 'a' })
    const run = await agent.load('a')
    const askings = [
      () => agent.run('Hi', { runId: odd }),
      () => agent.load(odd),
      () => agent.resume(odd),
      () => agent.fork(odd, { from: 1 }),
      () => agent.fork('a', { from: 1, runId: odd }),
      () => run.prompt('More', { runId: odd }),
    ]
    for (const ask of askings)
      await expect((async () => ask())()).rejects.toMatchObject({ name: 'UsageError', code: 'bad_run_id' })
    expect((await store.list({})).map((one) => one.id)).toEqual(['a'])
  },
)
