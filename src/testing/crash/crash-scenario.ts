import type { Clock } from '../../core/ports/clock.ts'
import type { AgentOptions } from '../../core/agent/options.ts'
import type { Run } from '../../core/agent/run.ts'
import type { RunResult } from '../../core/driving/run-result.ts'
import type { CheckpointName } from '../../core/domain/outcome.ts'
import type { Store } from '../../core/ports/store.ts'
import type { CrashPoint } from './mortal-process.ts'
import type { CrashEnvironment, PerformedEffect } from './crash-environment.ts'
import type { Interleaving } from './interleaving.ts'
import type { CrashProblem } from './crash-problem.ts'

/** A run to crash at every point: the construction of its agent and the answers to its waits. */
export interface CrashScenario {
  readonly name: string
  /** Default `Go.`. */
  readonly prompt?: string
  /**
   * The user of the run; not together with `forkedFrom` and `goesOnWith`. One more process after the end of the run
   * sends the data for the memory; the memory of `build` stores it with `environment.keep`. Default: no user.
   */
  readonly userId?: string
  /** Builds the agent of one process. Its tools act on the outside only through `environment.perform`. */
  build(environment: CrashEnvironment): Omit<AgentOptions, 'store' | 'clock' | 'ids' | 'leaseMs' | 'inspect'>
  /**
   * Answers a waiting run. Called for every wait that no interrupted call explains. Called again after a crash, so it
   * may send an answer that is already stored.
   */
  play?(run: Run, environment: CrashEnvironment, result: RunResult): Promise<unknown>
  /** Called before each write of the run's end. */
  beforeEnd?(environment: CrashEnvironment): Promise<unknown>
  /**
   * A part of the text that the input filters reject. It must never be delivered. No store may contain it after a run
   * has ended whose prompt contained it.
   */
  readonly refused?: string
  /**
   * Makes the run a fork. Another run is driven without crashes to its first rest; the crashed run is forked from the
   * first checkpoint of this name in it.
   */
  readonly forkedFrom?: CheckpointName
  /**
   * Makes the run a continuation. Another run is driven without crashes to its end; the crashed run begins with its
   * transcript and this prompt. Not together with `forkedFrom`.
   */
  readonly goesOnWith?: string
  /** Earlier prompts, each in a run that continues the run before and is driven without crashes to its end. */
  readonly before?: readonly string[]
  /** Provider ids of parallel calls; the walk tries every order in which they can finish. */
  readonly parallel?: readonly string[]
}

/**
 * The storage of one trial; `reopen` returns the store of a new process. Earlier stores stay open, because a stopped
 * process still uses its own.
 */
export interface CrashStorage {
  reopen(): Promise<Store>
  dispose(): Promise<void>
}

/** Options of a crash walk: the storage, and the kinds and number of crashes. */
export interface CrashWalkOptions {
  /** Creates a new, empty storage for each trial. Its leases must expire by the given clock. */
  readonly storage: (clock: Pick<Clock, 'now'>) => CrashStorage
  /** The maximum number of crash pairs per scenario, spread evenly over all pairs. Default 0. */
  readonly maxPairs?: number
  /**
   * True to also stop a process after each of its writes, to let another process finish the run, and then to wake the
   * stopped process. Default false.
   */
  readonly stops?: boolean
  /** Wraps the store of the agent, to test that the walk detects a fault. */
  readonly wrapStore?: (store: Store) => Store
}

/** A problem with the crashes that led to it. */
export interface CrashFinding extends CrashProblem {
  readonly scenario: string
  readonly crashes: readonly CrashPoint[]
  readonly interleaving: Interleaving
}

/** The result of one scenario. */
export interface CrashReport {
  readonly scenario: string
  /** The number of trials with one crash. */
  readonly points: number
  /** The number of trials with two crashes. */
  readonly pairs: number
  /** The number of trials with one stopped and woken process. */
  readonly stops: number
  /** The number of leases taken from dead processes. */
  readonly takeovers: number
  readonly lost: number
  readonly doubled: number
  readonly findings: readonly CrashFinding[]
}

/** The result of one run from start to end, with its crashes. */
export interface Trial {
  readonly transcript: readonly unknown[]
  /** The outcome, and the state of every call. */
  readonly ending: unknown
  readonly effects: readonly PerformedEffect[]
  /** Names of tools with effects `once`. */
  readonly onceTools: ReadonlySet<string>
  /** The number of writes of each process. */
  readonly writes: readonly number[]
  readonly takeovers: number
  /** The number of waits that an interrupted call explains. */
  readonly interruptions: number
  readonly problems: readonly CrashProblem[]
}
