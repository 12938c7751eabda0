import assert from 'node:assert/strict'
import { beat, leave } from '../../core/domain/worker-record.ts'
import { listWorkers } from '../../core/driving/list-workers.ts'
import { start, type StoreCase } from './store-suite-fixtures.ts'

const worker = { id: 'worker-1', host: 'here', pid: 1, agents: ['guide'], concurrency: 4, driving: 0, startedAt: 1 }

/** Cases of the list of known workers. */
export const workerRecordCases: readonly StoreCase[] = [
  [
    'knows the workers that said they are there, as they last said it, until they leave',
    async ({ store, clock }) => {
      assert.deepEqual(await listWorkers(store), [])
      await store.change(beat(worker))
      await store.change(beat({ ...worker, id: "it's\u0000 2", agents: [] }))
      clock.set(start + 1)
      await store.change(beat({ ...worker, driving: 3 }))
      const [latest, other, ...more] = await listWorkers(store)
      const { silentMs = -1, ...said } = latest ?? {}
      assert.deepEqual(said, { ...worker, driving: 3 })
      assert.equal(silentMs, 0)
      assert.deepEqual([other?.id, other?.silentMs], ["it's\u0000 2", 1])
      assert.deepEqual(more, [])
      await store.change(leave('worker-1'))
      await store.change(leave('worker-1'))
      assert.deepEqual(
        (await listWorkers(store)).map(({ id }) => id),
        ["it's\u0000 2"],
      )
      clock.set(start + 3_600_000)
      assert.equal((await listWorkers(store)).length, 1)
      clock.set(start + 3_600_001)
      assert.deepEqual(await listWorkers(store), [])
    },
  ],
]
