import { hostName, ownPid } from '../domain/this-process.ts'
import type { Agent } from '../agent/agent.ts'
import type { Run } from '../agent/run.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import { createPublisher } from '../driving/publisher.ts'
import { WorkLoop } from './work-loop.ts'
import { runQueue } from './run-queue.ts'
import type { WorkerEvent } from './worker-event.ts'
import { checkDrainOptions, checkWorkerListener, readOptions } from './worker-options.ts'
import { WorkerReport } from './worker-report.ts'
import type { DrainOptions, QueuedStartOptions, WorkerOptions } from './worker-types.ts'
import { beat, leave, type WorkerBeat } from '../domain/worker-record.ts'
import { type Clock, repeat } from '../ports/clock.ts'
import type { Records } from '../ports/records.ts'

export { runAll, type BatchItem, type BatchOptions, type BatchProgress, type BatchResult } from './run-all.ts'
export type { WorkerCounts, WorkerEvent, WorkerEventBody } from './worker-event.ts'
export type { DrainOptions, QueuedStartOptions, WorkerOptions }

/** A worker: drives the runs of its agents that nobody else drives. */
export interface Worker extends AsyncDisposable {
  /** The worker's id in `workers()` of the store. */
  readonly id: string
  /** Resolves when the worker has been drained. */
  readonly ended: Promise<void>
  /**
   * Stores a run for any worker. Resolves when the run is stored, and waits while more than `queueLimit` stored runs
   * are not begun. Rejects with the errors of the agent's `start`; with `UsageError` `bad_option` for an agent that is
   * not the worker's, and `worker_drained` after `drain()`.
   *
   * @example
   * const run = await worker.start(clerk, 'Sort the mail.', { at: Date.now() + 60_000 })
   */
  start(agent: Agent, prompt: Prompt, options?: QueuedStartOptions): Promise<Run>
  /** Calls a function with each event of the worker. Returns a function that removes the listener. */
  on(listener: (event: WorkerEvent) => unknown): () => void
  /** Claims no more runs, stops running work after `drainMs`, and releases all leases. May be called again. */
  drain(options?: DrainOptions): Promise<void>
  /** Drains the worker once, at a signal of the process such as `SIGTERM`. Returns a function that removes it. */
  drainOn(signal: NodeJS.Signals, options?: DrainOptions): () => void
}

/**
 * Creates a worker, which begins at once to find and drive runs of its agents that nobody drives: newly stored runs,
 * runs left by another process, waiting runs with a stored decision, and runs with due timers. It keeps its process
 * alive until it is drained. Throws a `UsageError` for invalid options.
 *
 * @example
 * const worker = createWorker({ agents: [clerk], concurrency: 16 })
 * worker.drainOn('SIGTERM')
 * await worker.ended
 */
export function createWorker(options: WorkerOptions): Worker {
  const { store, cores, clock, ids, queueLimit, ...settings } = readOptions(options)
  const id = ids.next('worker')
  const report = new WorkerReport()
  const loop = new WorkLoop({ ...settings, store, cores, clock, report })
  const queue = runQueue({ store, cores, clock, limit: queueLimit })
  const { broker } = options
  const publisher = broker && createPublisher({ store, broker, clock })
  report.listen(({ type }) => type === 'claimed' && queue.lookAgain())
  const startedAt = clock.now()
  const describe = (): WorkerBeat => ({
    id,
    host: hostName(),
    pid: ownPid,
    agents: cores.map(({ name }) => name),
    ...(cores.some(({ version }) => version !== undefined) && { versions: cores.map(({ version = null }) => version) }),
    concurrency: settings.concurrency,
    driving: report.counts.driving,
    startedAt,
  })
  const ended = Promise.withResolvers<void>()
  let drained: Promise<void> | undefined

  async function drain(drainMs: number): Promise<void> {
    queue.close()
    await loop.drain(drainMs)
    await stopBeating()
    await publisher?.stop()
    ended.resolve()
  }

  loop.begin()
  const stopBeating = keepBeating(store, clock, describe)
  const worker: Worker = {
    id,
    ended: ended.promise,
    start: (agent, prompt, startOptions) => queue.start(agent, prompt, startOptions),
    on: (listener) => {
      checkWorkerListener(listener)
      return report.listen(listener)
    },
    drain: (drainOptions = {}) => {
      checkDrainOptions(drainOptions)
      return (drained ??= drain(drainOptions.drainMs ?? 10_000))
    },
    drainOn: (signal, drainOptions = {}) => {
      checkDrainOptions(drainOptions)
      return drainOn(signal, () => worker.drain(drainOptions))
    },
    [Symbol.asyncDispose]: () => worker.drain({ drainMs: 0 }),
  }
  return worker
}

const beatMs = 5000

/** Records in the store, every few seconds, that a worker is alive. The returned function stops this. */
function keepBeating(store: Records, clock: Pick<Clock, 'every'>, worker: () => WorkerBeat): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  // If the store is unavailable, the next beat tries again.
  const tell = () => {
    const told = store.change(beat(worker())).catch(() => undefined)
    last = last.then(() => told)
  }
  const end = repeat(clock, beatMs, tell)
  tell()
  return async () => {
    end()
    await last
    await store.change(leave(worker().id)).catch(() => undefined)
  }
}

/** Calls a function once, at the process's next signal of this kind; returns a function that removes the handler. */
function drainOn(signal: NodeJS.Signals, drain: () => Promise<void>): () => void {
  const hear = () => void drain().catch(() => undefined)
  process.once(signal, hear)
  return () => void process.off(signal, hear)
}
