import { StoreError } from '../../domain/store-error.ts'
import type { Lease } from '../../ports/store.ts'

/** One place at which a process dies: before or after its write of that number, counted from 1. */
export interface CrashPoint {
  readonly write: number
  readonly side: 'before' | 'after'
}

/** One process: its reads and writes work until it dies, and are refused as `store_unavailable` from then on. */
export class MortalProcess {
  /** The lease it took last. */
  lease: Lease | undefined
  #death: CrashPoint | undefined
  #writes = 0
  #isDead = false

  /** Without a crash point it lives until it is armed or told to die. */
  constructor(death?: CrashPoint) {
    this.#death = death
  }

  get isDead(): boolean {
    return this.#isDead
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
    const result = await read()
    this.check()
    return result
  }

  /** `landed` hears of the write even where the process dies right after it. */
  async write<Result>(write: () => Promise<Result>, landed: (result: Result) => void = () => {}): Promise<Result> {
    this.check()
    const number = ++this.#writes
    this.#dieAt(number, 'before')
    const result = await write()
    landed(result)
    this.#dieAt(number, 'after')
    this.check()
    return result
  }

  #dieAt(write: number, side: CrashPoint['side']): void {
    if (this.#death?.write === write && this.#death.side === side) this.die()
    this.check()
  }
}
