import { ignoreThrows } from '../domain/ignore-throws.ts'
import type { WorkerCounts, WorkerEvent, WorkerEventBody } from './worker-event.ts'

/** Counts a worker's events and emits them to its listeners. */
export class WorkerReport {
  readonly #listeners = new Set<(event: WorkerEvent) => void>()
  #counts: WorkerCounts = { driving: 0, claimed: 0, released: 0, failed: 0, left: 0 }

  get counts(): WorkerCounts {
    return this.#counts
  }

  /** Adds a listener. A listener that throws or rejects stays registered and does not affect the others. */
  listen(listener: (event: WorkerEvent) => unknown): () => void {
    const hear = ignoreThrows(listener)
    this.#listeners.add(hear)
    return () => void this.#listeners.delete(hear)
  }

  tell(event: WorkerEventBody): void {
    this.#count(event)
    for (const hear of this.#listeners) hear({ ...event, counts: this.#counts })
  }

  drives(driving: number): void {
    this.#counts = { ...this.#counts, driving }
  }

  #count({ type }: WorkerEventBody): void {
    if (type === 'idle' || type === 'unreachable') return
    this.#counts = { ...this.#counts, [type]: this.#counts[type] + 1 }
  }
}
