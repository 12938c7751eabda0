import { foldEvent, foldEvents } from '../../core/domain/fold-events.ts'
import { emptyRunView, type RunView } from '../../core/domain/run-view.ts'
import { readEvents } from './read-events.ts'
import { ask, RequestError, type ServerOptions } from './requests.ts'

/** A run as a page has it. */
export interface FollowedRun {
  /** What the events of the run tell by now. */
  readonly view: RunView
  /** Why the run cannot be followed just now; the page goes on trying unless the server has refused. */
  readonly error?: RequestError
}

const noRun: FollowedRun = { view: emptyRunView }
/** Milliseconds between two looks at a run that waits: whoever answers it may be another page. */
const lookMs = 1_000
const mostWaitMs = 15_000

/**
 * Follows one run for as long as somebody has subscribed. A connection that drops is made anew from the last event; a run
 * that waits is looked at again, as another page may answer it.
 */
export class RunFollower {
  readonly #server: ServerOptions
  readonly #runId: string
  readonly #listeners = new Set<() => void>()
  #run: FollowedRun = noRun
  #following: AbortController | undefined
  #wake: (() => void) | undefined

  constructor(runId: string, server: ServerOptions) {
    this.#runId = runId
    this.#server = server
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#following?.abort()
      this.#wake?.()
    }
  }

  readonly current = (): FollowedRun => this.#run

  /** Before anything is known, as on a server. */
  readonly none = (): FollowedRun => noRun

  /** Looks at once: something was sent. */
  readonly look = (): void => this.#wake?.()

  #begin(): void {
    const following = new AbortController()
    this.#following = following
    void this.#follow(following.signal)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let waitMs = 0
    while (!signal.aborted && !this.#isOver()) {
      try {
        if (await this.#read(signal)) return
        waitMs = lookMs
      } catch (error) {
        if (signal.aborted) return
        const problem = error instanceof RequestError ? error : broken(error)
        this.#tell({ ...this.#run, error: problem })
        if (problem.status >= 400 && problem.status < 500) return
        waitMs = Math.min(Math.max(waitMs * 2, lookMs / 2), mostWaitMs)
      }
      if (!this.#isOver()) await this.#wait(waitMs)
    }
  }

  #isOver(): boolean {
    return this.#run.view.status === 'done'
  }

  /** Reads to the end of one response; true where nothing follows any more. */
  async #read(signal: AbortSignal): Promise<boolean> {
    // Pieces of an answer are told anew from their beginning.
    const { underWay: _, ...view } = this.#run.view
    let folded: RunView = view
    const response = await ask(this.#server, `/runs/${encodeURIComponent(this.#runId)}/events?after=${view.seq}`, {
      signal,
    })
    if (response.status === 204) return true
    for await (const events of readEvents(response)) {
      if (signal.aborted) return true
      folded = events.length === 1 && events[0] ? foldEvent(folded, events[0]) : foldEvents(events, folded)
      this.#tell({ view: folded })
    }
    if (this.#run.error !== undefined) this.#tell({ view: folded })
    return false
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

  #tell(run: FollowedRun): void {
    this.#run = run
    for (const listener of this.#listeners) listener()
  }
}

function broken(cause: unknown): RequestError {
  return new RequestError(0, 'connection_lost', 'The connection was lost. The page connects again.', cause)
}
