import type { Owner } from '../../core/domain/owner.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import type { FirstCommit, Store } from '../../core/ports/store.ts'
import { changedStart } from '../crash/changed-start.ts'
import type { SimulatedProcess } from './process.ts'
import type { WorldParts } from './world-parts.ts'

/** Returns the store as one process reaches it: requests and answers take time, and faults may happen in between. */
export function simulatedStore(world: WorldParts, process: SimulatedProcess): Store {
  const noted = notedStore(world, process)
  return new Proxy(noted, {
    get(target, name): unknown {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || typeof name !== 'string' || direct.has(name)) return method
      const act = async (given: readonly unknown[]): Promise<unknown> => Reflect.apply(method, target, given)
      return (...given: readonly unknown[]) => reach(world, process, name, () => act(given))
    },
  })
}

const direct: ReadonlySet<string> = new Set(['watch', 'verify', 'close'])

/** Methods that need room on the disk. */
const writing: ReadonlySet<string> = new Set(['create', 'commit', 'decide', 'post', 'change', 'changeSession', 'claim'])

const kinds = ['kill', 'pause', 'jump', 'slow', 'busy', 'cut', 'fullDisk'] as const

async function reach<Value>(
  world: WorldParts,
  process: SimulatedProcess,
  name: string,
  act: () => Promise<Value>,
): Promise<Value> {
  const drawn = world.faults.strike(kinds, process.nextFactor())
  const isAfter = drawn !== undefined && world.choices.chance(0.5)
  if (drawn === 'slow') world.tell(process.name, `waits long for ${name} of the store`, { isFault: true })
  await process.turn(drawn === 'slow' ? world.choices.of(50, 500, 4000) : world.latency())
  const fault = world.faults.due(drawn)
  if (fault === 'fullDisk') world.fillDisk()
  if (fault === 'busy') throw refused(world, process, name, 'store_busy', 'is locked')
  if (world.isDiskFull && writing.has(name)) throw refused(world, process, name, 'store_busy', 'has no room')
  if (fault === 'cut' && !isAfter) throw refused(world, process, name, 'store_unavailable', 'is cut off before it acts')
  if (!isAfter) process.hit(fault)
  if (!process.isAlive || process.isPaused) await process.turn()
  const outcome = await act().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (world.faults.due(fault) === 'cut' && isAfter)
    throw refused(world, process, name, 'store_unavailable', 'is cut off after it has acted')
  if (isAfter) process.hit(fault)
  await process.turn(world.latency())
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

function refused(
  world: WorldParts,
  process: SimulatedProcess,
  name: string,
  code: 'store_busy' | 'store_unavailable',
  why: string,
): StoreError {
  world.tell(process.name, `asks the store for ${name}: the store ${why}`, { isFault: true })
  return new StoreError(code, `The simulated store ${why}.`)
}

/** The store as one process sees it, with a host of its own. It reports the writes that arrive. */
function notedStore(world: WorldParts, process: SimulatedProcess): Store {
  const { store, ledger } = world
  const own = (owner: Owner): Owner => ({ ...owner, host: process.name.replaceAll(' ', '-'), pid: 1, pidStart: '' })
  return {
    ...store,
    create: async (run, owner, ttlMs, first) => {
      let begun: FirstCommit | undefined
      const start = changedStart(first, (commit) => (begun = commit))
      const lease = await store.create(run, own(owner), ttlMs, start)
      ledger.created(process.name, run, lease, begun)
      return lease
    },
    claim: async (runId, owner, ttlMs, found) => {
      const claimed = await store.claim(runId, own(owner), ttlMs, found)
      if (claimed.lease !== undefined) ledger.claimed(process.name, claimed.lease)
      return claimed
    },
    claimNext: async (query) => {
      const work = await store.claimNext({ ...query, owner: own(query.owner) })
      for (const { lease } of work) ledger.claimed(process.name, lease)
      return work
    },
    release: async (lease, postponement) => {
      await store.release(lease, postponement)
      ledger.released(process.name, lease)
    },
    commit: async (commit) => {
      const receipt = await store.commit(commit)
      ledger.committed(process.name, commit, receipt)
      return receipt
    },
    change: (change) => store.change(ledger.changing(change)),
    inbox: async (runId, filter) => {
      const rows = await store.inbox(runId, filter)
      // A driver continues to read from its place; any other reader reads the whole inbox.
      if (filter?.isOpen === true && filter.after !== undefined) ledger.read(process.name, runId, rows)
      return rows
    },
    decide: async (runId, decisions, now, records) => {
      const receipts = await store.decide(runId, decisions, now, records)
      const isTaken = receipts.some(({ answer }) => answer === 'applied' || answer === 'kept')
      const rows = isTaken ? await store.inbox(runId, { kinds: ['decision'] }) : []
      ledger.decided(process.name, runId, rows, { decisions, receipts })
      return receipts
    },
    post: async (runId, item, now) => {
      const receipt = await store.post(runId, item, now)
      if (item.kind === 'serviceAnswer')
        ledger.answered(process.name, runId, await store.inbox(runId, { kinds: ['decision'] }), receipt)
      else ledger.posted(process.name, runId, item, receipt)
      return receipt
    },
    watch: (runId, changed) => store.watch(runId, news(world, process, changed)),
  }
}

/** Notifications travel too: a process learns of changes by another one at its next look, once for several changes. */
function news(world: WorldParts, process: SimulatedProcess, changed: () => void): () => void {
  let isUnderWay = false
  return () => {
    if (isUnderWay) return
    isUnderWay = true
    process.later(world.choices.of(0, 1, 5, 50, 250), () => {
      isUnderWay = false
      changed()
    })
  }
}
