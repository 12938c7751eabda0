import type { SuspendedRun } from '../../core/ports/store-lists.ts'
import { RequestError } from '../../core/domain/request-error.ts'
import { readEvents } from '../../core/driving/served-events.ts'
import { LiveValue } from './live-value.ts'
import { ask, type ServerOptions } from './requests.ts'

/** The waiting runs on a page. */
export interface SuspendedList {
  /** The newest first. */
  readonly runs: readonly SuspendedRun[]
  /** The error of the last read, if it failed. */
  readonly error?: RequestError
}

/** The factor by which polling is slower while the server reports changes. */
const slower = 10

/** Reads the waiting runs whenever the server reports a change; polls if it cannot, or while the page is hidden. */
export class SuspendedReader extends LiveValue<SuspendedList> {
  readonly #server: ServerOptions
  readonly #everyMs: number
  #text = ''
  /** True while the server reports changes. */
  #isNotified = false

  constructor(server: ServerOptions, everyMs: number) {
    super({ runs: [] })
    this.#server = server
    this.#everyMs = everyMs
  }

  protected begin(signal: AbortSignal): void {
    void this.#readOn(signal)
    void this.#listenOn(signal)
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const text = await (await ask(this.#server, '/suspended', { signal })).text()
        if (text !== this.#text || this.current().error !== undefined) {
          this.#text = text
          this.set(JSON.parse(text) as SuspendedList)
        }
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof RequestError) this.set({ ...this.current(), error })
      }
      await this.wait(this.#everyMs * (this.#isNotified ? slower : 1))
    }
  }

  /** Listens to the server's reports again and again, unless it refuses. */
  async #listenOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await untilVisible(signal)
        await this.#listen(AbortSignal.any([signal, onceHidden(signal)]))
      } catch (error) {
        if (error instanceof RequestError && error.status >= 400 && error.status < 500) return
      }
      this.#isNotified = false
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, this.#everyMs))
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const response = await ask(this.#server, '/suspended/events', { signal })
    this.#isNotified = true
    for await (const { length } of readEvents(response)) if (length > 0) this.look()
  }
}

/** Waits until the page is visible, because a browser shares few connections to a server among its pages. */
async function untilVisible(signal: AbortSignal): Promise<void> {
  if (typeof document === 'undefined') return
  while (document.visibilityState === 'hidden' && !signal.aborted) {
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true, signal }))
  }
}

function onceHidden(signal: AbortSignal): AbortSignal {
  const leaving = new AbortController()
  if (typeof document === 'undefined') return leaving.signal
  const look = () => document.visibilityState === 'hidden' && leaving.abort()
  document.addEventListener('visibilitychange', look, { signal: AbortSignal.any([signal, leaving.signal]) })
  return leaving.signal
}
