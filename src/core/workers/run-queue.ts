import type { Agent } from '../agent/agent.ts'
import type { Run } from '../agent/run.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { backlogOf } from '../driving/agent-version.ts'
import { coreOf } from '../driving/core-of.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Clock } from '../ports/clock.ts'
import { Waker } from './waker.ts'
import type { QueuedStartOptions } from './worker-types.ts'
import type { Store } from '../ports/store.ts'

interface RunQueueOptions {
  readonly store: Store
  readonly cores: readonly AgentCore[]
  readonly clock: Clock
  /** The maximum number of stored runs that have not begun. */
  readonly limit: number
}

/** Milliseconds between checks of a full queue without a notification. */
const lookAgainMs = 250

/** Stores runs for workers, and delays callers while too many stored runs are not begun. */
export class RunQueue {
  readonly #options: RunQueueOptions
  readonly #closing = new AbortController()
  readonly #waker = new Waker()
  /** The number of runs that may be stored before the queue is counted again. */
  #room = 0
  /** The number of admitted runs that are not stored yet. */
  #storing = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: RunQueueOptions) {
    this.#options = options
  }

  async start(agent: Agent, prompt: Prompt, options: QueuedStartOptions = {}): Promise<Run> {
    if (!this.#options.cores.includes(coreOf(agent, 'worker.start')))
      throw new UsageError(
        'bad_option',
        `Agent "${agent.name}" does not belong to this worker. Pass it to createWorker.`,
      )
    const place = this.#last.then(() => this.#waitForRoom())
    this.#last = place.catch(() => undefined)
    await place
    try {
      const run = agent.start(prompt, { ...options, drive: false })
      await run.result()
      return run
    } finally {
      this.#storing--
      this.lookAgain()
    }
  }

  /** Rechecks the queue, because a run may have been begun. */
  lookAgain(): void {
    this.#waker.wake()
  }

  /** Rejects all further starts. */
  close(): void {
    this.#closing.abort(
      new UsageError('worker_drained', 'The worker was drained and starts nothing more. Make another one.'),
    )
  }

  async #waitForRoom(): Promise<void> {
    const { store, cores, clock, limit } = this.#options
    const { signal } = this.#closing
    signal.throwIfAborted()
    if (this.#room > 0) {
      this.#enter()
      return
    }
    const stopWatching = store.watch(undefined, () => this.lookAgain())
    try {
      for (;;) {
        const woken = this.#waker.listen()
        const now = clock.now()
        const stored = await backlogOf(store, cores, { now, limit })
        signal.throwIfAborted()
        this.#room = limit - stored - this.#storing
        if (this.#room > 0) return this.#enter()
        await woken.within(clock, now + lookAgainMs, signal)
      }
    } finally {
      stopWatching()
    }
  }

  #enter(): void {
    this.#room--
    this.#storing++
  }
}
