import assert from 'node:assert/strict'
import {
  createDriver,
  newRun,
  ownerNamed,
  slot,
  start,
  type StoreCase,
  suspendedCall,
  ttl,
} from './store-suite-fixtures.ts'
import { idsOf, next, storeFree } from './store-suite-work.ts'

/** Cases of finding work by the version of an agent. */
export const versionCases: readonly StoreCase[] = [
  [
    'gives a run of a version to workers of that version, and between its turns to those that move it to theirs',
    async ({ store }) => {
      for (const agentVersion of ['1', '2']) {
        await store.release(await store.create(newRun(agentVersion, { agentVersion }), ownerNamed('first'), ttl))
      }
      // Only the status of the call itself counts, not that in its arguments.
      const over = await createDriver(store, 'over', { agentVersion: '1' })
      const editedArguments = { status: 'running' }
      await over.commit({
        entries: [slot((seq) => suspendedCall(seq, 'sus-0', { status: 'succeeded', editedArguments }))],
      })
      await store.release(over.lease)
      await storeFree(store, 'any')
      const asked = await createDriver(store, 'asked', { agentVersion: '1' })
      await asked.commit({ entries: [slot(() => suspendedCall(1, 'sus-1'))], status: 'waiting', release: true })
      await store.release(asked.lease)
      await store.post('asked', { kind: 'cancel' }, start)
      assert.equal((await store.record('1')).agentVersion, '1')
      assert.deepEqual(
        (await store.list()).map((run) => ('damaged' in run ? run.damaged : (run.agentVersion ?? 'none'))),
        ['1', 'none', '1', '2', '1'],
      )
      const wanted = { agents: ['guide'], now: start, limit: 100 }
      const counts = [{}, { version: '1' }, { version: '2', moves: true }, { version: '3' }].map((version) =>
        store.backlog({ ...wanted, ...version }),
      )
      assert.deepEqual(await Promise.all(counts), [1, 4, 4, 1])
      const moved = await next(store, { version: '2', moves: true })
      assert.deepEqual(idsOf(moved).toSorted(), ['1', '2', 'any', 'over'])
      for (const { lease, run } of moved) {
        assert.equal('record' in run && run.record.agentVersion, '2')
        await store.release(lease)
      }
      assert.deepEqual(await next(store), [])
      assert.deepEqual(await next(store, { version: '3' }), [])
      assert.deepEqual(idsOf(await next(store, { version: '1' })), ['asked'])
    },
  ],
  [
    'takes over a run of a dead worker only for a worker of its version',
    async ({ store, deadOwner }) => {
      await store.create(newRun('left', { agentVersion: '1' }), deadOwner('gone'), ttl)
      assert.deepEqual(await next(store), [])
      assert.deepEqual(await next(store, { version: '2' }), [])
      assert.deepEqual(idsOf(await next(store, { version: '1' })), ['left'])
    },
  ],
]
