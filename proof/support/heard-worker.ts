import type { Worker, WorkerEvent } from '../../src/core/workers/worker.ts'

/** The events of a worker, and a way to wait for more. */
export interface HeardWorker {
  readonly events: readonly WorkerEvent[]
  /** Resolves with the first event that this holds for, heard already or later. */
  until(isMeant: (event: WorkerEvent) => boolean): Promise<WorkerEvent>
  /** Resolves once so many runs were released. */
  released(count: number): Promise<WorkerEvent>
}

/** Listens to a worker from now on. */
export function hearWorker(worker: Worker): HeardWorker {
  const events: WorkerEvent[] = []
  const waiting = new Set<() => void>()
  worker.on((event) => {
    events.push(event)
    for (const look of waiting) look()
  })
  const until: HeardWorker['until'] = (isMeant) =>
    new Promise((resolve) => {
      const look = () => {
        const found = events.find(isMeant)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return { events, until, released: (count) => until(({ counts }) => counts.released >= count) }
}
