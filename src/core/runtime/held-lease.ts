import type { RunTrace } from '../ports/tracer.ts'
import { StoreError } from '../domain/store-error.ts'
import { type Clock, repeat, waitUntil } from '../ports/clock.ts'
import type { Lease, Store, StoredRun } from '../ports/store.ts'

/**
 * One moment on two clocks: the wall clock, and a steady clock that nobody sets and that stops while a computer sleeps.
 */
export interface Moment {
  readonly wall: number
  readonly steady: number
}

/** Returns the current time on both clocks; a clock without a steady one counts as steady itself. */
export function momentOf(clock: Clock): Moment {
  const wall = clock.now()
  return { wall, steady: clock.monotonic?.() ?? wall }
}

/** A lease, with a moment before it was taken, from which its time is counted. */
export interface TakenLease {
  readonly lease: Lease
  readonly since: Moment
  /** The stored run when the lease was taken. Default: the run is read. */
  readonly run?: StoredRun
  /**
   * True if the caller releases the lease, and the drive only does so with its last commit. Default: the drive releases
   * it.
   */
  readonly isLent?: boolean
  /** Opened when the run was stored. Default: it is opened when the run is driven. */
  readonly trace?: RunTrace
}

/** The dependencies of a held lease. */
export interface HeldLeaseOptions extends TakenLease {
  readonly store: Store
  /** Milliseconds the lease lasts without renewal. */
  readonly leaseMs: number
  readonly clock: Clock
}

/** The callbacks of a drive's lease. */
export interface LeaseListener {
  /** Called when another process has the lease, or its store is gone. */
  lost(reason: StoreError): void
  /** The computer, or this process with its clocks, has slept. */
  slept(): void
}

/** After this share of a lease's time, a launch waits for a renewal; renewals start at a third. */
const mostSpent = 2 / 3

/** The maximum renewals that an effect waits for. */
const mostRenewals = 100

/** A lease while its run is driven. It is renewed three times per lifetime, and checked before any effect starts. */
export class HeldLease {
  readonly #options: HeldLeaseOptions
  readonly #listener: LeaseListener
  /** Ends the renewals. */
  readonly stop: () => void
  #since: Moment
  #hasSlept = false
  #awakeUntil = 0

  constructor(options: HeldLeaseOptions, listener: LeaseListener) {
    this.#options = options
    this.#listener = listener
    this.#since = options.since
    this.stop = repeat(options.clock, options.leaseMs / 3, () => void this.#renewInTime())
  }

  get fence(): number {
    return this.#options.lease.fence
  }

  /** Milliseconds the lease still lasts, by the clock that went further. */
  get remainingMs(): number {
    return this.#options.leaseMs - this.#spentMs()
  }

  /**
   * Undefined if an effect may be launched at once; else it may be when the promise resolves. A `StoreError` if
   * the lease is lost. For what must not be done twice (`isOnce`) the store looks whether its file is still in place.
   */
  confirm(isOnce: boolean): Promise<void> | undefined {
    if (this.#spentMs() > mostSpent * this.#options.leaseMs) return this.#renewUntilGood()
    if (isOnce) this.#options.store.verify?.()
    return undefined
  }

  /**
   * Renews until the lease is valid: a process may be stopped while it renews, and a renewal counts from its request,
   * so a late one does not allow a launch. A locked or full store is asked again until the lease would end, because
   * running effects of this drive may be expensive.
   */
  async #renewUntilGood(): Promise<void> {
    const { clock, lease } = this.#options
    for (let attempt = 0; attempt < mostRenewals; attempt++) {
      try {
        await this.renew()
        if (this.remainingMs > 0) return
      } catch (error) {
        const isBusy = error instanceof StoreError && error.code === 'store_busy'
        if (!isBusy || this.remainingMs <= 0) throw error
        await waitUntil(clock.now() + 100, clock, new AbortController().signal)
      }
    }
    const wish = 'Give the agent a longer leaseMs, or reduce the load of the store.'
    throw new StoreError('store_busy', `The lease of run "${lease.runId}" expired before it could be renewed. ${wish}`)
  }

  /** Renews the lease; throws if the store does not. */
  async renew(): Promise<void> {
    const { store, lease, leaseMs, clock } = this.#options
    const now = momentOf(clock)
    const isLate = this.#haveParted(now)
    await store.renew(lease, leaseMs)
    const awakeUntil = this.#since.wall
    this.#since = now
    if (!isLate) return
    if (!this.#hasSlept) this.#awakeUntil = awakeUntil
    this.#hasSlept = true
    this.#listener.slept()
  }

  /** The clocks differ by more than a third of the lease, and no wake-up has been requested since. */
  get isAsleep(): boolean {
    return this.#hasSlept || this.#haveParted(momentOf(this.#options.clock))
  }

  /** Renews the lease after a sleep; gives the last Unix milliseconds at which it is known to have been awake. */
  async wakeUp(): Promise<number> {
    if (!this.#hasSlept) await this.renew()
    this.#hasSlept = false
    return this.#awakeUntil
  }

  #haveParted(now: Moment): boolean {
    const { wall, steady } = this.#since
    return Math.abs(now.wall - wall - (now.steady - steady)) > this.#options.leaseMs / 3
  }

  #spentMs(): number {
    const now = momentOf(this.#options.clock)
    return Math.max(now.wall - this.#since.wall, now.steady - this.#since.steady)
  }

  /** An unreachable store may recover before the lease expires; the commit decides. */
  async #renewInTime(): Promise<void> {
    try {
      await this.renew()
    } catch (error) {
      if (error instanceof StoreError && losses.has(error.code)) this.#listener.lost(error)
    }
  }
}

const losses: ReadonlySet<string> = new Set(['fence_conflict', 'run_unknown', 'store_replaced'])
