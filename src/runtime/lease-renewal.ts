import { StoreError } from '../domain/store-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Lease, Store } from '../ports/store.ts'

/** A store that cannot be reached just now may be reached before the lease expires; the commit will tell. */
function isLoss(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'fence_conflict' || error.code === 'run_unknown')
}

/** Renews a lease while its run is driven, three times a lifetime; tells when it is lost. */
export class LeaseRenewal {
  readonly #timer: NodeJS.Timeout

  constructor(
    { store, lease, leaseMs, clock }: { store: Store; lease: Lease; leaseMs: number; clock: Clock },
    lost: (reason: unknown) => void,
  ) {
    const renew = async () => store.renew(lease, leaseMs, clock.now())
    const judge = (error: unknown) => {
      if (isLoss(error)) lost(error)
    }
    this.#timer = setInterval(() => void renew().catch(judge), leaseMs / 3)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
