import { letProcessEnd } from '../domain/text/platform.ts'
import type { WorkerBeat } from '../domain/worker-record.ts'
import type { WorkStore } from '../ports/work.ts'

const beatMs = 5000

/** Says in the store, every few seconds, that a worker is there. */
export class Heartbeat {
  readonly #store: WorkStore
  readonly #worker: () => WorkerBeat
  #timer: ReturnType<typeof setInterval> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(store: WorkStore, worker: () => WorkerBeat) {
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
    await this.#store.leave(this.#worker().id).catch(() => undefined)
  }

  /** A store that cannot be asked just now is told at the next beat. */
  #beat(): void {
    const beat = this.#store.beat(this.#worker()).catch(() => undefined)
    this.#last = this.#last.then(() => beat)
  }
}
