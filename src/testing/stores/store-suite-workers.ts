import assert from 'node:assert/strict'
import type { StoreCase } from './store-suite-fixtures.ts'

const worker = { id: 'worker-1', host: 'here', pid: 1, agents: ['guide'], concurrency: 4, driving: 0, startedAt: 1 }

/** Who is known to work. */
export const workerRecordCases: readonly StoreCase[] = [
  [
    'knows the workers that said they are there, as they last said it, until they leave',
    async ({ store }) => {
      assert.deepEqual(await store.workers(), [])
      await store.beat(worker)
      await store.beat({ ...worker, id: "it's\u0000 2", agents: [] })
      await store.beat({ ...worker, driving: 3 })
      const [latest, other, ...more] = await store.workers()
      const { silentMs = -1, ...said } = latest ?? {}
      assert.deepEqual(said, { ...worker, driving: 3 })
      assert.ok(silentMs >= 0, `expected no silence below 0, got ${silentMs}`)
      assert.equal(other?.id, "it's\u0000 2")
      assert.deepEqual(more, [])
      await store.leave('worker-1')
      await store.leave('worker-1')
      assert.deepEqual(
        (await store.workers()).map(({ id }) => id),
        ["it's\u0000 2"],
      )
    },
  ],
]
