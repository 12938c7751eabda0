import { nextLoopTurn } from '../../core/domain/text/platform.ts'

/** A value for `useSyncExternalStore` that is updated while there are subscribers. */
export abstract class LiveValue<Value> {
  /** Returns the initial value, as on a server. */
  readonly none: () => Value
  readonly #listeners = new Set<() => void>()
  #value: Value
  #subscribed: AbortController | undefined
  #wake: (() => void) | undefined
  /** True if `look` was called since the last wait. */
  #isOld = false
  #isNotifying = false

  constructor(initial: Value) {
    this.none = () => initial
    this.#value = initial
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#subscribed = new AbortController()
      this.begin(this.#subscribed.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#subscribed?.abort()
      this.#wake?.()
    }
  }

  readonly current = (): Value => this.#value

  /** Ends the current or the next wait, because the value may have changed. */
  readonly look = (): void => {
    this.#isOld = true
    this.#wake?.()
  }

  /** Starts to update the value, until the signal is aborted. */
  protected abstract begin(signal: AbortSignal): void

  /** Replaces the value; notifies the listeners at most once per turn of the event loop. */
  protected set(value: Value): void {
    this.#value = value
    if (this.#isNotifying) return
    this.#isNotifying = true
    void nextLoopTurn().then(() => {
      this.#isNotifying = false
      for (const listener of this.#listeners) listener()
    })
  }

  /** Waits for a time or for `look`. */
  protected async wait(ms: number): Promise<void> {
    if (!this.#isOld) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#isOld = false
  }
}
