import { beat, leave, type WorkerBeat } from '../domain/worker-record.ts'
import { type Clock, repeat } from '../ports/clock.ts'
import type { Records } from '../ports/records.ts'

const beatMs = 5000

/** Records in the store, every few seconds, that a worker is alive. */
export class Heartbeat {
  readonly #store: Records
  readonly #worker: () => WorkerBeat
  readonly #clock: Pick<Clock, 'every'>
  #end = () => {}
  #last: Promise<void> = Promise.resolve()

  constructor(store: Records, clock: Pick<Clock, 'every'>, worker: () => WorkerBeat) {
    this.#store = store
    this.#clock = clock
    this.#worker = worker
  }

  begin(): void {
    this.#end = repeat(this.#clock, beatMs, () => this.#beat())
    this.#beat()
  }

  async stop(): Promise<void> {
    this.#end()
    await this.#last
    await this.#store.change(leave(this.#worker().id)).catch(() => undefined)
  }

  /** If the store is unavailable, the next beat tries again. */
  #beat(): void {
    const told = this.#store.change(beat(this.#worker())).catch(() => undefined)
    this.#last = this.#last.then(() => told)
  }
}
