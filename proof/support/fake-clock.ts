import type { Clock } from '../../src/core/ports/clock.ts'

/** A clock that stands still until a test advances it. */
export interface FakeClock extends Clock {
  /** Moves time on and wakes whoever is due. */
  advance(ms: number): void
  /** Resolves once somebody sleeps until `due`, or until any time where none is given. */
  sleeping(due?: number): Promise<void>
}

/** Unix milliseconds at which every fake clock starts. */
export const start = 1_700_000_000_000

/** Makes a clock that stands at `start`. */
export function fakeClock(): FakeClock {
  let time = start
  const sleepers = new Map<() => void, number>()
  const watchers = new Set<() => void>()
  return {
    now: () => time,
    async sleepUntil(due, signal) {
      if (due <= time || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => {
        sleepers.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      sleepers.set(wake, due)
      signal.addEventListener('abort', wake, { once: true })
      for (const watcher of watchers) watcher()
      await promise
    },
    advance(ms) {
      time += ms
      for (const [wake, due] of sleepers) if (due <= time) wake()
    },
    async sleeping(due) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if ([...sleepers.values()].some((other) => due === undefined || other === due)) resolve()
      }
      watchers.add(look)
      look()
      await promise
      watchers.delete(look)
    },
  }
}
