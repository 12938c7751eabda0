import type { Clock } from '../../core/ports/clock.ts'
import type { FaultKind } from './faults.ts'
import { beginning } from './scheduler.ts'
import type { WorldParts } from './world-parts.ts'

/** One process. Its code runs for real, and everything that it waits for happens in turns of the world. */
export class SimulatedProcess {
  readonly name: string
  readonly #world: WorldParts
  /** The lead of its clock, and the speed of it. */
  #aheadMs: number
  readonly #rate: number
  #isAlive = true
  #pausedUntil = 0
  /** Requests that are likely to meet a fault, because one has just struck. */
  #unsteady = 0

  constructor(name: string, world: WorldParts) {
    this.name = name
    this.#world = world
    this.#aheadMs = world.choices.of(0, 0, 40, -40, 1500, -1500)
    this.#rate = world.choices.of(1, 1.01, 0.99)
    const clock =
      this.#aheadMs === 0 && this.#rate === 1 ? '' : `; its clock is ${this.#aheadMs} ms ahead, at rate ${this.#rate}`
    world.tell(name, `begins${clock}`)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isPaused(): boolean {
    return this.#pausedUntil > this.#world.scheduler.now
  }

  /** Never continues; its leases and locks stay as they are. */
  kill(): void {
    this.#isAlive = false
    this.#pausedUntil = Number.POSITIVE_INFINITY
    this.#world.tell(this.name, 'is killed', { isFault: true })
    this.#world.replace()
  }

  /** Its clock, which may differ from others. */
  readonly clock: Clock = {
    now: () => Math.floor(this.#elapsed() + beginning + this.#aheadMs),
    monotonic: () => this.#elapsed(),
    sleepUntil: (due, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const at = () => beginning + Math.ceil((due - beginning - this.#aheadMs) / this.#rate)
        // A listener would keep the signal, and with it the whole world, for as long as this thread lives.
        const drop = () => signal.removeEventListener('abort', stop)
        const wake = () => {
          drop()
          resolve()
        }
        const forget = this.#later(at, wake, drop)
        const stop = () => {
          forget()
          resolve()
        }
        signal.addEventListener('abort', stop, { once: true })
      }),
    every: (ms, act) => {
      const { scheduler } = this.#world
      let forget = () => {}
      const begin = () => {
        const next = scheduler.now + Math.ceil(ms / this.#rate)
        forget = this.#later(
          () => next,
          () => {
            begin()
            act()
          },
        )
      }
      begin()
      return () => forget()
    },
  }

  #elapsed(): number {
    return (this.#world.scheduler.now - beginning) * this.#rate
  }

  /** Calls a function in a turn of this process, some milliseconds from now. */
  later(ms: number, go: () => void): () => void {
    const at = this.#world.scheduler.now + ms
    return this.#later(() => at, go)
  }

  #later(due: () => number, go: () => void, drop = () => {}): () => void {
    return this.#world.scheduler.add({ due: () => Math.max(due(), this.#pausedUntil), go, drop })
  }

  /** Resolves in a turn of this process; never if it has been killed by then. */
  turn(ms = 0): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve))
  }

  /** Lets pass what its own code takes, some milliseconds more or less; the process may be killed or paused meanwhile. */
  async work(ms = 0): Promise<void> {
    await this.turn(ms + this.#world.latency())
    this.hit(this.#world.faults.strike(['kill', 'pause', 'jump', 'slow']))
    await this.turn()
  }

  /** Sends a request outside. The request or its answer may be late or lost, and then it throws. */
  async request<Value>(act: () => Value | Promise<Value>): Promise<Value> {
    const { faults, choices } = this.#world
    const fault = faults.strike(['lost', 'slow', 'kill', 'pause'])
    await this.turn(fault === 'slow' ? choices.of(50, 500, 4000) : this.#world.latency())
    const isAfter = fault !== undefined && choices.chance(0.5)
    if (faults.due(fault) === 'lost' && !isAfter) throw this.#lost('A request')
    const value = await act()
    if (faults.due(fault) === 'lost' && isAfter) throw this.#lost('The answer to a request')
    this.hit(fault === 'slow' ? undefined : fault)
    await this.turn(this.#world.latency())
    return value
  }

  #lost(what: string): Error {
    this.#world.tell(this.name, `waits in vain: ${what.toLowerCase()} is lost`, { isFault: true })
    return new Error(`${what} was lost.`)
  }

  /** Lets a fault strike the process itself. */
  hit(drawn: FaultKind | undefined): void {
    const { choices, scheduler, faults } = this.#world
    const fault = faults.due(drawn)
    if (fault === 'kill') this.kill()
    if (fault === 'pause' || fault === 'slow') {
      const ms = choices.of(100, 1000, 5000)
      this.#pausedUntil = scheduler.now + ms
      this.#unsteady = 3
      this.#world.tell(this.name, `stands still for ${ms} ms`, { isFault: true })
    }
    if (fault === 'jump') {
      const ms = choices.of(500, -500, 20_000, -20_000)
      this.#aheadMs += ms
      this.#world.tell(this.name, `has its clock set by ${ms} ms`, { isFault: true })
    }
  }

  /** The factor by which a fault of its next request is more likely; one fault often follows another. */
  nextFactor(): number {
    if (this.#unsteady === 0) return 1
    this.#unsteady--
    return 8
  }

  /** Continues at once, if it lives. */
  resume(): void {
    if (this.#isAlive) this.#pausedUntil = 0
  }
}
