import { aborted, type Clock, onAbort, waitUntil } from '../ports/clock.ts'

/** A wait for the next wake-up, counted from the moment of listening. */
export interface Listening {
  /** Resolves at the wake-up, at this time of the clock if one is given, or when the signal fires. */
  within(clock: Clock, until: number | undefined, signal: AbortSignal): Promise<void>
}

/** Wakes its listeners. Listen before a check, so that a wake-up during the check is not missed. */
export class Waker {
  #next = Promise.withResolvers<void>()

  wake(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  listen(): Listening {
    const { promise } = this.#next
    return {
      async within(clock, until, signal) {
        const over = new AbortController()
        const end = () => over.abort()
        const forget = onAbort(signal, end)
        await Promise.race([promise, until === undefined ? aborted(over.signal) : waitUntil(until, clock, over.signal)])
        forget()
        end()
      },
    }
  }
}
