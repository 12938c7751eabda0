import type { FoundLease } from '../../domain/store-error.ts'
import { driverOf } from './lease-rules.ts'
import type { LeaseRow } from './stored-rows.ts'

/** A lease that was found held, and the run it is of. */
export interface HeldRow extends LeaseRow {
  readonly runId: string
}

/**
 * Which held leases may be taken over: those of owners that are dead, and expired ones. An expired lease of a process of
 * this host that lives is taken once it has been found unchanged for a whole time to live.
 */
export class LeaseWatch {
  readonly #steady: () => number
  #found: ReadonlyMap<string, SeenLease> = new Map()

  /** `steady` gives milliseconds by a clock that nobody sets. */
  constructor(steady: () => number = () => performance.now()) {
    this.#steady = steady
  }

  /** Of all the leases that are held now, those that may be taken. */
  free<Row extends HeldRow>(held: readonly Row[], now: number, ttlMs: number): readonly Row[] {
    const before = this.#found
    const found = new Map<string, SeenLease>()
    this.#found = found
    return held.filter((lease) => {
      if (driverOf(lease, now) === undefined) return true
      if (lease.expires > now) return false
      const seen = before.get(lease.runId)
      const isUnchanged = seen?.fence === lease.fence && seen.expires === lease.expires
      const since = isUnchanged ? seen.since : this.#steady()
      found.set(lease.runId, { fence: lease.fence, expires: lease.expires, since })
      return this.#steady() - since >= ttlMs
    })
  }
}

interface SeenLease extends FoundLease {
  readonly since: number
}
