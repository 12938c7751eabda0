import type { Clock } from '../ports/clock.ts'
import type { Lease, Store } from '../ports/store.ts'

/** Renews a lease while its run is driven, three times a lifetime; tells when it is lost. */
export class LeaseKeeper {
  readonly #timer: NodeJS.Timeout

  constructor(
    { store, lease, leaseMs, clock }: { store: Store; lease: Lease; leaseMs: number; clock: Clock },
    lost: (reason: unknown) => void,
  ) {
    this.#timer = setInterval(() => void store.renew(lease, leaseMs, clock.now()).catch(lost), leaseMs / 3)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
