import type { Agent } from '../agent/agent.ts'
import type { StartOptions } from '../driving/start-run.ts'
import type { Broker } from '../ports/broker.ts'
import type { Store } from '../ports/store.ts'

/** How a worker works. */
export interface WorkerOptions {
  /**
   * The agents whose runs the worker drives. Each has a name of its own. The worker leaves runs of other agents alone.
   */
  readonly agents: readonly Agent[]
  /** Default: that of the agents. All of them must have this one. */
  readonly store?: Store
  /** How many runs it drives at once, at most. Default 8. */
  readonly concurrency?: number
  /** `start` waits while so many runs are stored and begun by nobody. Default 1,000. */
  readonly queueLimit?: number
  /** Where what the runs of the store send is published, by this worker too. Default: it publishes nothing. */
  readonly broker?: Broker
  /** Milliseconds after which it looks for work though nobody told it of any. Default 1,000. */
  readonly pollMs?: number
  /** A run that failed so often in a row, without a commit between, is set aside until `retry`. Default 5. */
  readonly maxFailures?: number
}

/** How a run is stored for a worker. */
export type QueuedStartOptions = Omit<StartOptions, 'drive' | 'signal'>

/** How a worker is drained. */
export interface DrainOptions {
  /** Milliseconds that models and tools under way have to come back. Default 10,000. */
  readonly drainMs?: number
}
