import assert from 'node:assert/strict'
import type { Agent } from '../../core/agent/agent.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { listWorkers } from '../../core/driving/list-workers.ts'
import { ownerNamed, type StoreUnderTest } from '../stores/store-suite-fixtures.ts'
import { watched } from '../watchdog.ts'
import { type Done, watchedWorker, workingAgent } from './working-agent.ts'

/** The input of a case; its workers are drained after the case, even if it fails. */
interface UnderTest extends StoreUnderTest {
  readonly watch: typeof watchedWorker
}

type WorkerCase = readonly [name: string, run: (under: UnderTest) => Promise<void>]

const cases: readonly WorkerCase[] = [
  [
    'drives a run that was only stored to its wait, and on from there when somebody has answered',
    async ({ store, watch }) => {
      const done: Done = []
      const agent = workingAgent(store, done)
      const watching = watch([agent])
      await watching.worker.start(agent, 'Act.', { runId: 'run' })
      await watching.until((event) => event.type === 'released' && event.status === 'waiting')
      const person = workingAgent(store, done)
      await (await person.load('run')).approve()
      await watching.until((event) => event.type === 'released' && event.status === 'done')
      assert.deepEqual(done, ['run'])
    },
  ],
  [
    'drives each of many runs once, whichever of two workers takes it',
    async ({ store, watch }) => {
      const done: Done = []
      const agents = [workingAgent(store, done), workingAgent(store, done)] as const
      const left = watch([agents[0]])
      const right = watch([agents[1]])
      const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`)
      for (const runId of ids) await left.worker.start(agents[0], 'Act.', { runId })
      for (const id of ids) await approved(agents[0], id, [left, right])
      for (const id of ids) {
        await Promise.race([left, right].map((one) => one.until((event) => isEnd(event, id))))
      }
      assert.deepEqual(done.toSorted(), ids.toSorted())
    },
  ],
  [
    'takes over a run whose process has died, and one that was cancelled while nobody drove it',
    async ({ store, deadOwner, watch }) => {
      const agent = workingAgent(store, [])
      for (const runId of ['left', 'cancelled']) await agent.start('Act.', { runId, drive: false }).result()
      const { lease } = await store.claim('left', deadOwner('gone'), 60_000)
      assert.ok(lease)
      await (await agent.load('cancelled')).cancel()
      const watching = watch([agent])
      await watching.until((event) => event.type === 'released' && event.runId === 'left')
      await watching.until((event) => isEnd(event, 'cancelled'))
      assert.equal((await store.record('left')).status, 'waiting')
      assert.equal((await store.record('cancelled')).doneReason, 'cancelled')
    },
  ],
  [
    'sets a run aside that ends its process each time, tells why, and drives the others',
    async ({ store, deadOwner, watch }) => {
      const agent = workingAgent(store, [])
      for (const runId of ['poison', 'other']) await agent.start('Act.', { runId, drive: false }).result()
      for (let death = 0; death < 3; death++) {
        const owner = deadOwner(`worker-${death}`)
        const query = { agents: ['clerk'], now: Date.now(), limit: 1, owner, ttlMs: 60_000, except: ['other'] }
        assert.equal((await store.claimNext(query)).length, 1)
      }
      const watching = watch([agent], 3)
      const told = await watching.until((event) => event.type === 'failed' && event.aside === true)
      assert.ok(told.type === 'failed' && told.runId === 'poison', `expected "poison" to be set aside`)
      await watching.until((event) => event.type === 'released' && event.runId === 'other')
      assert.equal((await store.postponed({ isAside: true }))[0]?.runId, 'poison')
      assert.equal(await store.retry('poison'), true)
      await watching.until((event) => event.type === 'released' && event.runId === 'poison')
    },
  ],
  [
    'leaves a run alone that another process drives',
    async ({ store, watch }) => {
      const agent = workingAgent(store, [])
      for (const runId of ['held', 'free']) await agent.start('Act.', { runId, drive: false }).result()
      const { lease } = await store.claim('held', ownerNamed('elsewhere'), 60_000)
      assert.ok(lease)
      const watching = watch([agent])
      await watching.until((event) => event.type === 'idle' && event.counts.released === 1)
      assert.equal((await store.record('held')).version, 0)
      await store.release(lease)
      await watching.until((event) => event.type === 'released' && event.runId === 'held')
    },
  ],
  [
    'gives its leases back when it is drained, and is no longer among those that work',
    async ({ store }) => {
      const agent = workingAgent(store, [])
      const { worker, until } = watchedWorker([agent])
      await worker.start(agent, 'Act.', { runId: 'run' })
      await until((event) => event.type === 'released')
      await worker.drain()
      assert.equal((await store.record('run')).isDriven, false)
      assert.deepEqual(await listWorkers(store), [])
    },
  ],
]

/**
 * Returns the cases that workers must pass over any store, for any test runner. `open` returns a new, empty store for
 * each case; its leases must expire by the given clock.
 */
export function workerSuite(
  open: (clock: Pick<Clock, 'now'>) => Promise<StoreUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await open({ now: () => Date.now() })
        const workers: Watched[] = []
        const watch: typeof watchedWorker = (...given) => {
          const made = watchedWorker(...given)
          workers.push(made)
          return made
        }
        try {
          await run({ ...under, watch })
        } finally {
          await Promise.all(workers.map((one) => one[Symbol.asyncDispose]()))
          await under.dispose()
        }
      }),
  }))
}

type Watched = ReturnType<typeof watchedWorker>

/** Approves a run after one of the workers has driven it to its wait. */
async function approved(agent: Agent, runId: string, workers: readonly Watched[]): Promise<void> {
  await Promise.race(workers.map((one) => one.until((event) => event.type === 'released' && event.runId === runId)))
  await (await agent.load(runId)).approve()
}

function isEnd(event: Parameters<Parameters<Watched['until']>[0]>[0], runId: string): boolean {
  return event.type === 'released' && event.runId === runId && event.status === 'done'
}
