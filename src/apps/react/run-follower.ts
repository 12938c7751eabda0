import { foldEvent } from '../../core/domain/fold-event.ts'
import { RequestError } from '../../core/domain/request-error.ts'
import { emptyRunView, type RunView } from '../../core/domain/run-view.ts'
import { defined } from '../../core/domain/text/json.ts'
import { follow } from '../../core/driving/follow.ts'
import { LiveValue } from './live-value.ts'
import type { ServerOptions } from './requests.ts'

/** A run that a page follows. */
export interface FollowedRun {
  /** The state of the run by its events so far. */
  readonly view: RunView
  /** The reason why the run cannot be followed now. The page tries again unless the server has refused. */
  readonly error?: RequestError
}

/** Milliseconds between two looks at a waiting run, because another page may answer it. */
const lookMs = 1_000

/** Follows one run. Continues after a lost connection from the last event; polls a waiting run. */
export class RunFollower extends LiveValue<FollowedRun> {
  readonly #server: ServerOptions
  readonly #runId: string

  constructor(runId: string, server: ServerOptions) {
    super({ view: emptyRunView })
    this.#runId = runId
    this.#server = server
  }

  protected begin(signal: AbortSignal): void {
    void this.#follow(signal)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const isOver = () => signal.aborted || this.current().view.status === 'done'
    try {
      while (!isOver()) {
        await this.#read(signal)
        if (!isOver()) await this.wait(lookMs)
      }
    } catch (error) {
      if (!signal.aborted && error instanceof RequestError) this.set({ ...this.current(), error })
    }
  }

  /** Reads until the run rests; rejects if the server has refused. */
  async #read(signal: AbortSignal): Promise<void> {
    const { url = '', headers, fetch } = this.#server
    const lost = (error: RequestError) => this.set({ ...this.current(), error })
    const served = { url: `${url}/runs/${encodeURIComponent(this.#runId)}`, lost, ...defined({ headers, fetch }) }
    for await (const event of follow(served, { after: this.current().view.seq, signal })) {
      this.set({ view: foldEvent(this.current().view, event) })
    }
    if (!signal.aborted && this.current().error !== undefined) this.set({ view: this.current().view })
  }
}
