import type { Agent } from '../agent/agent.ts'
import type { Run } from '../agent/run.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { backlogOf } from '../driving/agent-version.ts'
import { coreOf } from '../driving/core-of.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Clock } from '../ports/clock.ts'
import { Waker } from '../driving/waker.ts'
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
export function runQueue({ store, cores, clock, limit }: RunQueueOptions) {
  const closing = new AbortController()
  const waker = new Waker()
  /** The number of runs that may be stored before the queue is counted again. */
  let room = 0
  /** The number of admitted runs that are not stored yet. */
  let storing = 0
  let last: Promise<unknown> = Promise.resolve()

  async function start(agent: Agent, prompt: Prompt, options: QueuedStartOptions = {}): Promise<Run> {
    if (!cores.includes(coreOf(agent, 'worker.start')))
      throw new UsageError(
        'bad_option',
        `Agent "${agent.name}" does not belong to this worker. Pass it to createWorker.`,
      )
    const place = last.then(waitForRoom)
    last = place.catch(() => undefined)
    await place
    try {
      const run = agent.start(prompt, { ...options, drive: false })
      await run.result()
      return run
    } finally {
      storing--
      lookAgain()
    }
  }

  /** Rechecks the queue, because a run may have been begun. */
  function lookAgain(): void {
    waker.wake()
  }

  /** Rejects all further starts. */
  function close(): void {
    closing.abort(new UsageError('worker_drained', 'The worker was drained and starts nothing more. Make another one.'))
  }

  async function waitForRoom(): Promise<void> {
    const { signal } = closing
    signal.throwIfAborted()
    if (room > 0) return enter()
    const stopWatching = store.watch(undefined, lookAgain)
    try {
      for (;;) {
        const woken = waker.listen()
        const now = clock.now()
        const stored = await backlogOf(store, cores, { now, limit })
        signal.throwIfAborted()
        room = limit - stored - storing
        if (room > 0) return enter()
        await woken.within(clock, now + lookAgainMs, signal)
      }
    } finally {
      stopWatching()
    }
  }

  function enter(): void {
    room--
    storing++
  }

  return { start, lookAgain, close }
}
