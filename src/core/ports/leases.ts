import type { Owner } from '../domain/owner.ts'
import type { FoundLease } from '../domain/store-error.ts'
import type { Lease, StoredRun } from './stored-run.ts'
import type { Postponement } from './work.ts'

/** A run as its claim finds it, read in the same transaction. */
export interface ClaimedRun {
  /** Absent if the run is done: then no lease was taken and nothing was written. */
  readonly lease?: Lease
  readonly run: StoredRun
}

/** The leases of runs. A store uses its own clock for leases, so that the callers' clocks may differ. */
export interface Leases {
  /**
   * Takes the lease if it is free, expired, or held by a dead process of this host, and raises the fence. It takes
   * no lease of a run that is done, whoever holds it, or of a run that cannot be read.
   *
   * Clocks differ. Where the owner is another process of this host and lives, an expired lease is refused with
   * `run_is_driven`, and the error has it as `expired`. Whoever gives that back as `found`, a whole time to live later by
   * a clock that nobody sets, takes the lease if nobody has renewed it.
   */
  claim(runId: string, owner: Owner, ttlMs: number, found?: FoundLease): Promise<ClaimedRun>
  /** Extends the lease from now on; `fence_conflict` where it was lost. */
  renew(lease: Lease, ttlMs: number): Promise<void>
  /**
   * Throws a `StoreError` of code `store_replaced` if the store no longer writes to what it has open, such as a file
   * that was deleted. It is asked before an effect that must not be done twice; `renew` looks too. A store leaves it out
   * if nobody can take from it what it has open: the question would cost each effect something and answer nothing.
   */
  verify?(): void
  /**
   * Gives the lease back. Without a postponement it is no error if the lease was lost. With one the run is kept from `claimNext`,
   * until another claim of the run, and a lost lease is a `fence_conflict`.
   */
  release(lease: Lease, postponement?: Postponement): Promise<void>
}
