import type { SuspendedRun } from '../../core/ports/store-lists.ts'
import { RequestError } from '../../core/domain/request-error.ts'
import { readEvents } from '../../core/driving/served-events.ts'
import { ask, type ServerOptions } from './requests.ts'

/** What waits for answers, as a page has it. */
export interface SuspendedList {
  /** The newest first. */
  readonly runs: readonly SuspendedRun[]
  /** Why the list could not be read the last time. */
  readonly error?: RequestError
}

const nothing: SuspendedList = { runs: [] }

/** How many times rarer the list is read while the server tells that it may have changed. */
const rarer = 10

/**
 * Reads what waits when the server tells that it may have changed, for as long as somebody has subscribed. Where the server
 * cannot tell, and while the page is out of sight, the list is read again and again.
 */
export class SuspendedReader {
  readonly #server: ServerOptions
  readonly #everyMs: number
  readonly #listeners = new Set<() => void>()
  #list = nothing
  #text = ''
  #reading: AbortController | undefined
  #wake: (() => void) | undefined
  /** True where the list may be other than it was last read. */
  #isOld = false
  /** True while the server tells of changes. */
  #isTold = false

  constructor(server: ServerOptions, everyMs: number) {
    this.#server = server
    this.#everyMs = everyMs
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#reading = new AbortController()
      void this.#readOn(this.#reading.signal)
      void this.#listenOn(this.#reading.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#reading?.abort()
      this.#wake?.()
    }
  }

  readonly current = (): SuspendedList => this.#list

  /** Before anything is known, as on a server. */
  readonly none = (): SuspendedList => nothing

  /** Reads at once: something was answered. */
  readonly look = (): void => {
    this.#isOld = true
    this.#wake?.()
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isOld = false
      try {
        const text = await (await ask(this.#server, '/suspended', { signal })).text()
        if (text !== this.#text || this.#list.error !== undefined) {
          this.#text = text
          this.#tell(JSON.parse(text) as SuspendedList)
        }
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof RequestError) this.#tell({ ...this.#list, error })
      }
      if (!this.#isOld) await this.#wait(this.#everyMs * (this.#isTold ? rarer : 1))
    }
  }

  /** Hears the server for as long as it tells; one that has refused is not asked again. */
  async #listenOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await inSight(signal)
        await this.#listen(AbortSignal.any([signal, outOfSight(signal)]))
      } catch (error) {
        if (error instanceof RequestError && error.status >= 400 && error.status < 500) return
      }
      this.#isTold = false
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, this.#everyMs))
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const response = await ask(this.#server, '/suspended/events', { signal })
    this.#isTold = true
    for await (const { length } of readEvents(response)) if (length > 0) this.look()
  }

  async #wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }

  #tell(list: SuspendedList): void {
    this.#list = list
    for (const listener of this.#listeners) listener()
  }
}

/** Once the page is in sight: a browser gives one server few connections, over all its pages. */
async function inSight(signal: AbortSignal): Promise<void> {
  if (typeof document === 'undefined') return
  while (document.visibilityState === 'hidden' && !signal.aborted) {
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true, signal }))
  }
}

/** Fires once the page is out of sight. */
function outOfSight(signal: AbortSignal): AbortSignal {
  const leaving = new AbortController()
  if (typeof document === 'undefined') return leaving.signal
  const look = () => document.visibilityState === 'hidden' && leaving.abort()
  document.addEventListener('visibilitychange', look, { signal: AbortSignal.any([signal, leaving.signal]) })
  return leaving.signal
}
