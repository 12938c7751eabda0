import { foldEvents } from '../../core/domain/fold-events.ts'
import { RequestError } from '../../core/domain/request-error.ts'
import { emptyRunView, type RunView } from '../../core/domain/run-view.ts'
import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { follow } from '../../core/driving/follow.ts'
import type { ServerOptions } from './requests.ts'

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
  #isTelling = false

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
    try {
      for (; !signal.aborted && this.#run.view.status !== 'done'; await this.#wait(signal)) await this.#read(signal)
    } catch (error) {
      if (!signal.aborted && error instanceof RequestError) this.#tell({ ...this.#run, error })
    }
  }

  /** Reads until the run rests; rejects if the server has refused. */
  async #read(signal: AbortSignal): Promise<void> {
    const { url = '', headers, fetch } = this.#server
    const lost = (error: RequestError) => this.#tell({ ...this.#run, error })
    const served = {
      ...{ url: `${url}/runs/${encodeURIComponent(this.#runId)}`, lost },
      ...(headers === undefined ? {} : { headers }),
      ...(fetch === undefined ? {} : { fetch }),
    }
    for await (const event of follow(served, { after: this.#run.view.seq, signal })) {
      const { view } = this.#run
      this.#tell({ view: foldEvents([event], view) })
    }
    if (!signal.aborted && this.#run.error !== undefined) this.#tell({ view: this.#run.view })
  }

  async #wait({ aborted }: AbortSignal): Promise<void> {
    if (aborted || this.#run.view.status === 'done') return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }

  /** Listeners are called at most once a turn of the loop, however many events have come. */
  #tell(run: FollowedRun): void {
    this.#run = run
    if (this.#isTelling) return
    this.#isTelling = true
    void nextLoopTurn().then(() => {
      this.#isTelling = false
      for (const listener of this.#listeners) listener()
    })
  }
}
