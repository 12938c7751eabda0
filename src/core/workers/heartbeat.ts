import { letProcessEnd } from '../domain/text/platform.ts'
import { beat, leave, type WorkerBeat } from '../domain/worker-record.ts'
import type { Records } from '../ports/records.ts'

const beatMs = 5000

/** Says in the store, every few seconds, that a worker is there. */
export class Heartbeat {
  readonly #store: Records
  readonly #worker: () => WorkerBeat
  #timer: ReturnType<typeof setInterval> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(store: Records, worker: () => WorkerBeat) {
    this.#store = store
    this.#worker = worker
  }

  begin(): void {
    this.#timer = setInterval(() => this.#beat(), beatMs)
    letProcessEnd(this.#timer)
    this.#beat()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#last
    await this.#store.change(leave(this.#worker().id)).catch(() => undefined)
  }

  /** A store that cannot be asked just now is told at the next beat. */
  #beat(): void {
    const told = this.#store.change(beat(this.#worker())).catch(() => undefined)
    this.#last = this.#last.then(() => told)
  }
}
