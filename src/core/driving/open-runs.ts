import { UsageError } from '../domain/text/usage-error.ts'
import type { DriveRest } from '../runtime/drive-options.ts'

/** This process's single drive of a run. */
export interface OpenDriving {
  /** Resolves once this process holds the lease, or the run is done; rejects if it may not drive it. */
  readonly isBegun: Promise<void>
  /** The rest of the run; undefined if another process drove it. */
  readonly rest: Promise<DriveRest | undefined>
  /** The time of creation in Unix milliseconds; undefined if unknown. */
  readonly createdAt: number | undefined
  /** Something may have been stored for the run: this drive reads the inbox once more before it ends. */
  askAgain(): void
  /** Launches nothing more, and stops driving once the running work has finished. */
  drain(): Promise<void>
  /** Stops driving and gives the lease back. */
  detach(): Promise<void>
}

/** The runs that an agent drives in this process, each by a single drive. After it is closed there are none. */
export class OpenRuns {
  readonly #agent: string
  readonly #drivings = new Map<string, OpenDriving>()
  /** The unfinished work. */
  readonly #begun = new Set<Promise<unknown>>()
  /** The background work of runs, by run. */
  readonly #beside = new Map<string, Set<Promise<unknown>>>()
  /** Aborts waits for drives of other processes. */
  readonly #closing = new AbortController()

  constructor(agent: string) {
    this.#agent = agent
  }

  /** Fires when the agent is closed, with the reason. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Throws a `UsageError` if the agent was closed: it starts and drives nothing any more. */
  refuseIfClosed(): void {
    this.closing.throwIfAborted()
  }

  get(runId: string): OpenDriving | undefined {
    return this.#drivings.get(runId)
  }

  add(runId: string, driving: OpenDriving): void {
    this.#drivings.set(runId, driving)
  }

  delete(runId: string): void {
    this.#drivings.delete(runId)
  }

  /** A run that was begun, from before it is stored until it rests. */
  track(begun: Promise<unknown>): void {
    this.#begun.add(begun)
    const forget = () => void this.#begun.delete(begun)
    begun.then(forget, forget)
  }

  /** Registers background work of a run until the work is over. */
  goOnBeside(runId: string, work: Promise<unknown>): void {
    const all = this.#beside.get(runId) ?? new Set()
    this.#beside.set(runId, all.add(work))
    void work.finally(() => all.delete(work) && all.size === 0 && this.#beside.delete(runId))
  }

  /** Resolves when some of the background work of a run is over; undefined without such work. */
  workBeside(runId: string): Promise<unknown> | undefined {
    const all = this.#beside.get(runId)
    return all && Promise.race(all)
  }

  /**
   * Launches nothing more, lets running work finish until `drained`, and leaves every run as stored. Errors that remain
   * are reported to the next driver.
   */
  async close(drained: Promise<unknown>): Promise<void> {
    const wish = 'Make another one; the runs of this one are stored and go on there.'
    this.#closing.abort(new UsageError('agent_closed', `Agent "${this.#agent}" was closed. ${wish}`))
    const all = [...this.#drivings.values()]
    await Promise.race([drained, Promise.all(all.map((driving) => driving.drain()))])
    await Promise.allSettled(all.map((driving) => driving.detach()))
    await Promise.allSettled(this.#begun)
  }
}
