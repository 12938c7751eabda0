import type { SuspendedRun } from '../ports/store-lists.ts'
import { ask, RequestError, type ServerOptions } from './requests.ts'

/** What waits for answers, as a page has it. */
export interface SuspendedList {
  /** The newest first. */
  readonly runs: readonly SuspendedRun[]
  /** Why the list could not be read the last time. */
  readonly error?: RequestError
}

const nothing: SuspendedList = { runs: [] }

/** Reads what waits again and again, for as long as somebody has subscribed. */
export class SuspendedReader {
  readonly #server: ServerOptions
  readonly #everyMs: number
  readonly #listeners = new Set<() => void>()
  #list = nothing
  #text = ''
  #reading: AbortController | undefined
  #wake: (() => void) | undefined

  constructor(server: ServerOptions, everyMs: number) {
    this.#server = server
    this.#everyMs = everyMs
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#reading = new AbortController()
      void this.#readOn(this.#reading.signal)
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
  readonly look = (): void => this.#wake?.()

  async #readOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
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
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#everyMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  #tell(list: SuspendedList): void {
    this.#list = list
    for (const listener of this.#listeners) listener()
  }
}
