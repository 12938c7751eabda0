import type { Owner } from '../domain/owner.ts'
import type { Lease, StoredRun } from './stored-run.ts'

/** The work that a worker looks for. */
export interface WorkQuery {
  /** Names of the agents whose runs are wanted. */
  readonly agents: readonly string[]
  /** Runs of this version of the agents are wanted, and those of none, which are of this version from then on. Default: of none. */
  readonly version?: string
  /** True: so are runs of other versions that are between turns, where no call is open. Default false. */
  readonly moves?: boolean
  /** Unix milliseconds by the caller's clock, for due timers and for runs that begin later. */
  readonly now: number
  /** At most so many runs are claimed. */
  readonly limit: number
  /** Holds every run that is claimed. */
  readonly owner: Owner
  /** Milliseconds that the leases last. */
  readonly ttlMs: number
  /** Ids of runs to leave out, even if they have something to do. */
  readonly except?: readonly string[]
}

/** A run that was claimed because there is something to do. */
export interface ClaimedWork {
  readonly lease: Lease
  /** The run, or the problem if it cannot be read; the lease is taken in both cases. */
  readonly run: StoredRun | { readonly damaged: string }
  /**
   * The number of drivers since the run's last commit that died, hung or returned it with `postpone`, including this
   * one.
   */
  readonly failures: number
  /** True if the driver before had not given its lease back. */
  readonly wasHeld: boolean
}

/** The reason for which workers leave a run alone, and the time until which they do. */
export interface Postponement {
  /** Unix milliseconds by the caller's clock. Absent: until `retry`. */
  readonly until?: number
  /** The `failures` of `claimNext` until the run's next commit. */
  readonly failures: number
  readonly problem: string
}

/** A run that workers leave alone for now. A run that is to begin later has no `problem`. */
export interface PostponedRun extends Omit<Postponement, 'problem'> {
  readonly runId: string
  readonly agent: string
  readonly problem?: string
}

/** A filter of postponed runs. An absent field excludes no run. */
export interface PostponedFilter {
  readonly agents?: readonly string[]
  /** True: only those that wait for `retry`. */
  readonly isAside?: boolean
  /** Default 100. */
  readonly limit?: number
}

/** The part of a store in which workers find work. Each method is one transaction. */
export interface WorkStore {
  /**
   * Claims runs of these agents that have something to do, the one that waits longest first. There is something to do
   * for a run of status `running` without a live lease. There is for a waiting run with an unconsumed row of kind
   * decision, cancel or cancelCall, or with a timer due at or before `now`. What `claim` refuses is not claimed. An
   * expired lease of another process of this host that lives is taken once this store object has found it
   * unchanged for `ttlMs`, by a clock that nobody sets.
   *
   * A run that was postponed, or is to begin later, is claimed by nobody before its time. Rows that cannot be read keep
   * no other run from being claimed.
   */
  claimNext(query: WorkQuery): Promise<readonly ClaimedWork[]>
  /** Returns how many runs `claimNext` could claim now, at most `limit`. Claims and writes nothing. */
  backlog(query: Omit<WorkQuery, 'owner' | 'ttlMs' | 'except'>): Promise<number>
  /**
   * The earliest time, in Unix milliseconds, at which a run without a driver has something to do by itself; it may be
   * past. Undefined if there is none. Default: of all agents.
   */
  nextDue(agents?: readonly string[]): Promise<number | undefined>
  /** Runs that are postponed, those that wait for `retry` first; an expired time counts until the run is claimed. */
  postponed(filter?: PostponedFilter): Promise<readonly PostponedRun[]>
  /** Lets workers claim a postponed run at once, its failures forgotten; false if it was not postponed. */
  retry(runId: string): Promise<boolean>
}
