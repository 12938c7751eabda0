import type { Lease, Store } from '../../src/ports/store.ts'
import { StoreError } from '../../src/domain/store-error.ts'
import type { CommitObserver } from './commit-observer.ts'

/** One process: its store works until it dies, and refuses everything from then on. */
export class MortalProcess {
  isDead = false
  /** Who holds the run, once this process has taken it. */
  lease: Lease | undefined
  #death: { left: number; readonly side: 'before' | 'after' } | undefined

  /** Lets the process die around its n-th write from now. */
  arm(writes: number, side: 'before' | 'after'): void {
    this.#death = { left: writes, side }
  }

  /** Takes back a death that has not come. */
  disarm(): void {
    this.#death = undefined
  }

  /** Throws where the process has died. */
  check(): void {
    if (this.isDead) throw new StoreError('store_unavailable', 'This process has died.')
  }

  async write<Result>(write: () => Promise<Result>, landed: (result: Result) => void): Promise<Result> {
    this.check()
    const death = this.#death
    const isLast = death !== undefined && --death.left <= 0
    if (isLast && death.side === 'before') this.isDead = true
    this.check()
    const result = await write()
    landed(result)
    if (isLast) this.isDead = true
    this.check()
    return result
  }
}

/** The store as one process sees it; commits that land are told to the observer. */
export function storeOf(store: Store, mortal: MortalProcess, observer: CommitObserver): Store {
  const read = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    mortal.check()
    const result = await work()
    mortal.check()
    return result
  }
  const hold = async (work: () => Promise<Lease>) => (mortal.lease = await read(work))
  return {
    ...store,
    create: (...given) => hold(() => store.create(...given)),
    claim: (...given) => hold(() => store.claim(...given)),
    release: (...given) => read(() => store.release(...given)),
    renew: (...given) => read(() => store.renew(...given)),
    commit: (commit) => {
      if (!observer.mayTry()) return Promise.reject(new Error('The run commits without end.'))
      return mortal.write(
        () => store.commit(commit),
        (receipt) => 'version' in receipt && observer.add(commit),
      )
    },
    inbox: (...given) => read(() => store.inbox(...given)),
    decision: (...given) => read(() => store.decision(...given)),
    read: (...given) => read(() => store.read(...given)),
    record: (...given) => read(() => store.record(...given)),
    calls: (...given) => read(() => store.calls(...given)),
    watch: (runId, changed) => store.watch(runId, () => mortal.isDead || changed()),
  }
}
