import { UsageError } from '../domain/usage-error.ts'

/** What drives a run for this process. */
export interface Detachable {
  detach(): Promise<void>
}

/** The runs an agent drives in this process; once it is closed there are no more. */
export class OpenRuns {
  readonly #agent: string
  readonly #drivings = new Set<Detachable>()
  #isClosed = false

  constructor(agent: string) {
    this.#agent = agent
  }

  /** Throws a `UsageError` where the agent was closed: it starts and drives nothing any more. */
  refuseIfClosed(): void {
    if (!this.#isClosed) return
    const wish = 'Make another one; the runs of this one are stored and go on there.'
    throw new UsageError('agent_closed', `Agent "${this.#agent}" was closed. ${wish}`)
  }

  add(driving: Detachable): void {
    this.refuseIfClosed()
    this.#drivings.add(driving)
  }

  delete(driving: Detachable): void {
    this.#drivings.delete(driving)
  }

  /** Leaves every run as it is stored; what a run is left with cannot be told here, whoever drives it is told. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#drivings].map((driving) => driving.detach()))
  }
}
