import { StoreError } from '../../core/domain/store-error.ts'
import type { Lease } from '../../core/ports/store.ts'

/**
 * One place at which a process dies: before or after its write of that number, counted from 1. Or where it is `stopped`,
 * right after that write, until it is woken.
 */
export interface CrashPoint {
  readonly write: number
  readonly side: 'before' | 'after' | 'stopped'
}

/**
 * One process: its reads and writes work until it dies, and are refused as `store_unavailable` from then on. While it is
 * stopped they wait.
 */
export class MortalProcess {
  /** The lease it took last. */
  lease: Lease | undefined
  #death: CrashPoint | undefined
  #writes = 0
  #isDead = false
  readonly #stop = Promise.withResolvers<void>()
  readonly #waking = Promise.withResolvers<void>()
  #standing: 'running' | 'stopped' | 'woken' = 'running'
  readonly #underWay = new Set<Promise<unknown>>()

  /** Without a crash point it lives until it is armed or told to die. */
  constructor(death?: CrashPoint) {
    this.#death = death
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Resolves once it is stopped. */
  get stopping(): Promise<void> {
    return this.#stop.promise
  }

  get isStopped(): boolean {
    return this.#standing === 'stopped'
  }

  /** True once it goes on after it was stopped. */
  get isWoken(): boolean {
    return this.#standing === 'woken'
  }

  /** Lets a stopped process go on. */
  wake(): void {
    this.#standing = 'woken'
    this.#waking.resolve()
  }

  /** Writes begun so far. */
  get writes(): number {
    return this.#writes
  }

  /** Lets it die around a write counted from now, in place of any death that was to come. */
  arm({ write, side }: CrashPoint): void {
    this.#death = { write: this.#writes + write, side }
  }

  /** Takes back a death that has not come. */
  disarm(): void {
    this.#death = undefined
  }

  /** Lets it die now, between two writes. */
  die(): void {
    this.#isDead = true
  }

  /** Throws where it has died: whatever it still does reaches nothing. */
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

  /** `landed` hears of the write even where the process dies right after it. */
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
    // What it has sent beside that reaches the store, whether it runs or not.
    await Promise.allSettled(this.#underWay)
    this.#stop.resolve()
    await this.#waking.promise
  }

  #dieAt(write: number, side: 'before' | 'after'): void {
    if (this.#death?.write === write && this.#death.side === side) this.die()
    this.check()
  }
}
