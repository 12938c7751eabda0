import type { Clock } from '../ports/clock.ts'

/** Somebody who waits for the next ring, from the moment of listening. */
export interface Listening {
  /** Resolves at the ring, at this time of the clock, or when the signal fires, whatever comes first. */
  within(clock: Clock, until: number, signal: AbortSignal): Promise<void>
}

/** Wakes whoever listens. What rings between two looks is not missed by who listens before the first. */
export class Bell {
  #next = Promise.withResolvers<void>()

  ring(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  listen(): Listening {
    const { promise } = this.#next
    return {
      async within(clock, until, signal) {
        const over = new AbortController()
        const slept = clock.sleepUntil(until, AbortSignal.any([signal, over.signal]))
        await Promise.race([promise, slept])
        over.abort()
      },
    }
  }
}
