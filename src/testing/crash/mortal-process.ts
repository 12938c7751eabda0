import { StoreError } from '../../core/domain/store-error.ts'
import type { Lease } from '../../core/ports/store.ts'

/**
 * The point at which a process dies: before or after its n-th write, counted from 1. With `stopped` the process pauses
 * right after that write until it is woken.
 */
export interface CrashPoint {
  readonly write: number
  readonly side: 'before' | 'after' | 'stopped'
}

/** Returns the points before and after each of the first writes. */
export function pointsUpTo(writes: number): readonly CrashPoint[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) => [
    { write, side: 'before' as const },
    { write, side: 'after' as const },
  ])
}

/** One process. Its reads and writes wait while it is stopped, and fail with `store_unavailable` after its death. */
export class MortalProcess {
  /** The lease that the process took last. */
  lease: Lease | undefined
  #death: CrashPoint | undefined
  #writes = 0
  #isDead = false
  readonly #stop = Promise.withResolvers<void>()
  readonly #waking = Promise.withResolvers<void>()
  #standing: 'running' | 'stopped' | 'woken' = 'running'
  readonly #underWay = new Set<Promise<unknown>>()

  /** Without a crash point the process lives until `arm` or `die` is called. */
  constructor(death?: CrashPoint) {
    this.#death = death
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Resolves when the process is stopped. */
  get stopping(): Promise<void> {
    return this.#stop.promise
  }

  get isStopped(): boolean {
    return this.#standing === 'stopped'
  }

  /** True if the process was stopped and woken. */
  get isWoken(): boolean {
    return this.#standing === 'woken'
  }

  /** Wakes a stopped process. */
  wake(): void {
    this.#standing = 'woken'
    this.#waking.resolve()
  }

  /** The number of writes begun so far. */
  get writes(): number {
    return this.#writes
  }

  /** Sets a crash point, counted in writes from now, and replaces any earlier crash point. */
  arm({ write, side }: CrashPoint): void {
    this.#death = { write: this.#writes + write, side }
  }

  /** Removes a crash point that has not been reached. */
  disarm(): void {
    this.#death = undefined
  }

  /** Kills the process now, between two writes. */
  die(): void {
    this.#isDead = true
  }

  /** Throws if the process is dead, so that its further calls have no effect. */
  check(): void {
    if (this.#isDead) throw new StoreError('store_unavailable', 'This process has died.')
  }

  async read<Result>(read: () => Promise<Result>): Promise<Result> {
    this.check()
    if (this.isStopped) await this.#waking.promise
    const result = await read()
    this.check()
    return result
  }

  /** `landed` is called after the write, even if the process dies right after it. */
  async write<Result>(write: () => Promise<Result>, landed: (result: Result) => void = () => {}): Promise<Result> {
    this.check()
    if (this.isStopped) await this.#waking.promise
    const number = ++this.#writes
    this.#dieAt(number, 'before')
    const writing = write()
    this.#underWay.add(writing)
    const result = await writing.finally(() => this.#underWay.delete(writing))
    landed(result)
    this.#dieAt(number, 'after')
    await this.#stopAt(number)
    this.check()
    return result
  }

  async #stopAt(write: number): Promise<void> {
    if (this.#death?.write !== write || this.#death.side !== 'stopped') return
    this.#standing = 'stopped'
    // Other requests of the process that are already sent reach the store even while the process is stopped.
    await Promise.allSettled(this.#underWay)
    this.#stop.resolve()
    await this.#waking.promise
  }

  #dieAt(write: number, side: 'before' | 'after'): void {
    if (this.#death?.write === write && this.#death.side === side) this.die()
    this.check()
  }
}
