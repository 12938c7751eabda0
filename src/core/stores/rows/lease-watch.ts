import type { WorkQuery } from '../../ports/work.ts'
import { driverOf } from './lease-rules.ts'
import type { LeaseRow } from './stored-rows.ts'

/** A held lease, with its run. */
export interface HeldRow extends LeaseRow {
  readonly runId: string
}

/** The agents and versions whose runs are searched for. */
export type Wanted = Pick<WorkQuery, 'agents' | 'version' | 'moves'>

/** The agents, the time and the length of a lease in a search for free runs. */
export interface LeaseLook extends Wanted {
  /** Unix milliseconds by the clock of leases. */
  readonly now: number
  readonly ttlMs: number
}

/**
 * Finds leases to take over: those of dead owners, and those that have expired and not changed for a whole TTL, because
 * clocks differ.
 */
export class LeaseWatch {
  readonly #steady: () => number
  readonly #found = new Map<string, ReadonlyMap<string, SeenLease>>()

  /** `steady` returns the milliseconds of a monotonic clock. */
  constructor(steady: () => number = () => performance.now()) {
    this.#steady = steady
  }

  /** Returns the held leases of what is wanted that may be taken over. */
  free<Row extends HeldRow>(held: readonly Row[], { agents, version, moves, now, ttlMs }: LeaseLook): readonly Row[] {
    const scope = JSON.stringify([agents, version, moves])
    const before = this.#found.get(scope)
    const found = new Map<string, SeenLease>()
    const at = this.#steady()
    const free = held.filter((lease) => {
      if (driverOf(lease, now) === undefined) return true
      const seen = before?.get(lease.runId)
      const isUnchanged = seen?.fence === lease.fence && seen.expires === lease.expires
      const since = isUnchanged ? seen.since : at
      found.set(lease.runId, { fence: lease.fence, expires: lease.expires, since })
      return lease.expires <= now && at - since >= ttlMs
    })
    if (found.size === 0) this.#found.delete(scope)
    else this.#found.set(scope, found)
    return free
  }
}

interface SeenLease {
  readonly fence: number
  readonly expires: number
  readonly since: number
}
