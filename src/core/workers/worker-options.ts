import { longestTimerMs } from '../domain/timer.ts'
import { coreOf } from '../driving/core-of.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { membersOf } from '../family/lineage.ts'
import * as is from '../domain/text/option-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { DrainOptions, WorkerOptions } from './worker-types.ts'

/** A worker's options with their defaults applied. */
export interface WorkerSettings {
  readonly store: Store
  readonly cores: readonly AgentCore[]
  readonly clock: Clock
  readonly ids: Ids
  readonly concurrency: number
  readonly queueLimit: number
  readonly pollMs: number
  readonly maxFailures: number
}

/** Reads a worker's options; throws a `UsageError` for invalid options. */
export function readOptions(options: WorkerOptions): WorkerSettings {
  is.checkOptions('createWorker', options, shape)
  const { concurrency = 8, queueLimit = 1000, pollMs = 1000, maxFailures = 5 } = options
  const cores = options.agents.flatMap((agent) => membersOf(coreOf(agent, 'createWorker')))
  const [first] = cores
  if (first === undefined) throw bad('Option agents of createWorker is empty. Give it the agents whose runs it drives.')
  checkNames(cores)
  const store = commonStore(options.store ?? first.store, cores)
  const { clock, ids } = first
  return { store, cores, clock, ids, concurrency, queueLimit, pollMs, maxFailures }
}

/** Throws a `UsageError` for invalid options of a drain. */
export function checkDrainOptions(given: unknown): void {
  is.checkOptions('drain', given, drainShape)
}

/** Throws a `UsageError` for an invalid listener. */
export function checkWorkerListener(given: unknown): void {
  is.callback(given, { field: 'listener', owner: 'worker.on' })
}

function commonStore(store: Store, cores: readonly AgentCore[]): Store {
  const other = cores.find((core) => core.store !== store)
  if (other === undefined) return store
  const wish = 'Open one store, and give it to every agent as option store.'
  throw bad(`Agent "${other.name}" has another store than the worker: it would never find runs of it. ${wish}`)
}

function checkNames(cores: readonly AgentCore[]): void {
  const isSame = (left: AgentCore, right: AgentCore) => left.name === right.name && left.version === right.version
  const twice = cores.find((core, index) => cores.findIndex((other) => isSame(core, other)) !== index)
  if (twice === undefined) return
  const wish = 'Rename one, or give it another version'
  throw bad(`Two agents of the worker are called "${twice.name}": a run names only its agent. ${wish}.`)
}

function bad(message: string): UsageError {
  return new UsageError('bad_option', message)
}

const count = is.wholeFrom(1)

const shape: is.OptionShape<WorkerOptions> = {
  agents: is.expecting('a list of agents', Array.isArray),
  store: is.checkedElsewhere,
  broker: is.optional(is.having('a broker, such as inProcessBroker()', 'publish', 'subscribe')),
  concurrency: is.optional(count),
  queueLimit: is.optional(count),
  pollMs: is.optional(
    is.number(`more than 0 and at most ${longestTimerMs} milliseconds`, (ms) => ms > 0 && ms <= longestTimerMs),
  ),
  maxFailures: is.optional(count),
}

const drainShape: is.OptionShape<DrainOptions> = {
  drainMs: is.optional(is.number('0 or more milliseconds', (ms) => Number.isFinite(ms) && ms >= 0)),
}
