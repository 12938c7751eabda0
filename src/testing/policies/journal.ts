import { StoreError } from '../../core/domain/store-error.ts'
import type { Lease, Store } from '../../core/ports/store.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import { ManualClock } from '../crash/crash-environment.ts'

/** One write to a store, which any other store can repeat. */
interface Written {
  readonly at: number
  /** False for a write that changes only who drives the run. */
  readonly changesRun: boolean
  readonly again: (store: Store) => Promise<unknown>
}

/** Every write to a store, in order: the state that a process leaves when it dies. */
export type Journal = readonly Written[]

/** The store of one process, with its clock. */
export interface JournalStore {
  readonly store: Store
  readonly clock: ManualClock
  /** The writes before this process, and its own. */
  readonly written: readonly Written[]
  /** Ends the lease of the process before, as its expiry would. */
  free(): Promise<unknown>
  /** Lets every further write fail. */
  die(): void
}

/**
 * Returns a store in memory with the writes of a journal. The process dies right after write `crash`, counted from 1.
 */
export async function openJournal(journal: Journal, crash?: number): Promise<JournalStore> {
  const clock = new ManualClock()
  const inner = memoryStore({ clock })
  const written = [...journal]
  let lease: Lease | undefined
  for (const { at, again } of journal) {
    clock.advance(at - clock.now())
    lease = leaseAfter(lease, await again(inner))
  }
  let isDead = false
  const check = () => {
    if (isDead) throw new StoreError('store_unavailable', 'This process has died.')
  }
  const write = async <Result>(again: (store: Store) => Promise<Result>, changesRun = true): Promise<Result> => {
    check()
    const at = clock.now()
    const result = await again(inner)
    lease = leaseAfter(lease, result)
    written.push({ at, again, changesRun })
    if (crash !== undefined && written.length - journal.length >= crash) isDead = true
    check()
    return result
  }
  const store: Store = {
    ...inner,
    create: (...given) => write((to) => to.create(...given)),
    claim: (...given) => write((to) => to.claim(...given), false),
    claimNext: (...given) => write((to) => to.claimNext(...given)),
    commit: (commit) => write((to) => to.commit(commit)),
    release: (...given) => write((to) => to.release(...given), false),
    decide: (...given) => write((to) => to.decide(...given)),
    post: (...given) => write((to) => to.post(...given)),
    change: (change) => write((to) => to.change(change)),
    renew: async (...given) => {
      check()
      return inner.renew(...given)
    },
  }
  // A process that ended its lease itself has none left to end.
  const free = async () => lease && store.release(lease).catch(() => undefined)
  return { store, clock, written, free, die: () => void (isDead = true) }
}

/** Returns the last lease that was taken, after a write with this result. */
function leaseAfter(before: Lease | undefined, result: unknown): Lease | undefined {
  if (typeof result !== 'object' || result === null) return before
  if ('fence' in result && 'owner' in result) return result as Lease
  return 'lease' in result ? ((result.lease as Lease | undefined) ?? before) : before
}
