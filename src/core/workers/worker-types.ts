import type { Agent } from '../agent/agent.ts'
import type { StartOptions } from '../driving/start-run.ts'
import type { Broker } from '../ports/broker.ts'
import type { Store } from '../ports/store.ts'

/** Options of a worker. */
export interface WorkerOptions {
  /** The agents whose runs the worker drives, with unique names. The worker does not drive runs of other agents. */
  readonly agents: readonly Agent[]
  /** The store. Default: the agents' store. All agents must have the same store. */
  readonly store?: Store
  /** The maximum number of runs driven in parallel. Default 8. */
  readonly concurrency?: number
  /** The maximum number of stored runs that have not begun; `start` waits while the queue is full. Default 1,000. */
  readonly queueLimit?: number
  /** The broker to which this worker publishes the outgoing events of the store's runs. Default: none. */
  readonly broker?: Broker
  /** Milliseconds between regular checks for work. Default 1,000. */
  readonly pollMs?: number
  /** The number of consecutive failures without a commit after which a run is set aside until `retry`. Default 5. */
  readonly maxFailures?: number
}

/** Options of a run that is stored for a worker. */
export type QueuedStartOptions = Omit<StartOptions, 'drive' | 'signal'>

/** Options of a drain. */
export interface DrainOptions {
  /** Milliseconds that running models and tools have to finish. Default 10,000. */
  readonly drainMs?: number
}
