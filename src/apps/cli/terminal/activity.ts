import type { CliIo } from './cli-io.ts'

/** Milliseconds between two redraws of the status. */
const tickMs = 1_000

/** The current activity with its duration, redrawn while it lasts. */
export class Activity {
  readonly #clock: CliIo['clock']
  readonly #redraw: () => void
  /** Empty without an activity. */
  label = ''
  #since = 0
  #ticking: AbortController | undefined

  constructor(clock: CliIo['clock'], redraw: () => void) {
    this.#clock = clock
    this.#redraw = redraw
  }

  /** Milliseconds since the label was set. */
  get tookMs(): number {
    return this.#clock.now() - this.#since
  }

  /** Shows another activity; an empty text removes it. */
  show(label: string): void {
    if (this.label === label) return
    this.label = label
    this.#since = this.#clock.now()
    this.#ticking?.abort()
    this.#ticking = undefined
    if (label !== '') {
      this.#ticking = new AbortController()
      void this.#tick(this.#ticking.signal)
    }
    this.#redraw()
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleepUntil(this.#clock.now() + tickMs, signal)
      if (!signal.aborted) this.#redraw()
    }
  }
}
