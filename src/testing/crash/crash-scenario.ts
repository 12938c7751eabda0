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

/** A run to be crashed everywhere: how its agent is built, and who answers what it waits for. */
export interface CrashScenario {
  readonly name: string
  /** Default `Go.`. */
  readonly prompt?: string
  /**
   * The user the run is for; not together with `forkedFrom` and `goesOnWith`. What the run has left for a memory is told by
   * one more process, behind its end; the memory of `build` keeps it with `environment.keep`. Default: nobody.
   */
  readonly userId?: string
  /** The agent of one process. Its tools act on the outside through `environment.perform` alone. */
  build(environment: CrashEnvironment): Omit<AgentOptions, 'store' | 'clock' | 'ids' | 'leaseMs' | 'inspect'>
  /**
   * Answers a run that waits. Called for every wait that no interrupted call explains, and again where a process
   * died, so it may send an answer that has been stored already.
   */
  play?(run: Run, environment: CrashEnvironment, result: RunResult): Promise<unknown>
  /** Called each time the end of the run is about to be written. */
  beforeEnd?(environment: CrashEnvironment): Promise<unknown>
  /** Part of what the input filters refuse: it is never heard, and no store may hold it once a run has ended whose prompt it was in. */
  readonly refused?: string
  /**
   * Makes the run a fork: another one is driven undisturbed until it first rests, and the run that is crashed goes on
   * from the first checkpoint of this name in it.
   */
  readonly forkedFrom?: CheckpointName
  /**
   * Makes the run one that goes on: another one is driven undisturbed to its end, and the run that is crashed begins with
   * its transcript and this prompt. Not together with `forkedFrom`.
   */
  readonly goesOnWith?: string
  /** Prompts that are said before it, each in a run that goes on from the one before and is driven undisturbed to its end. */
  readonly before?: readonly string[]
  /** Provider ids of calls that run side by side: the walk goes through every order in which they finish. */
  readonly parallel?: readonly string[]
}

/**
 * Where runs are kept during one trial; `reopen` gives what a new process would find. Stores opened before stay open: a
 * process that was stopped still has its own.
 */
export interface CrashStorage {
  reopen(): Promise<Store>
  dispose(): Promise<void>
}

/** Where the runs of a walk are kept, and how many pairs of crashes it tries. */
export interface CrashWalkOptions {
  /** Makes a fresh, empty storage for each trial. Its leases expire by the clock it is given. */
  readonly storage: (clock: Pick<Clock, 'now'>) => CrashStorage
  /** Most pairs of crashes tried in one scenario, spread over all there are. Default 0. */
  readonly maxPairs?: number
  /** Whether a process is also stopped after each of its writes while another finishes the run, then woken. Default false. */
  readonly stops?: boolean
  /** Something between the agent and its store, to see whether the walk notices. */
  readonly wrapStore?: (store: Store) => Store
}

/** A problem, and the crashes that led to it. */
export interface CrashFinding extends CrashProblem {
  readonly scenario: string
  readonly crashes: readonly CrashPoint[]
  readonly interleaving: Interleaving
}

/** What one scenario came to. */
export interface CrashReport {
  readonly scenario: string
  /** Trials with one crash. */
  readonly points: number
  /** Trials with two. */
  readonly pairs: number
  /** Trials with one process that was stopped and woken. */
  readonly stops: number
  /** Leases taken from processes that had died. */
  readonly takeovers: number
  readonly lost: number
  readonly doubled: number
  readonly findings: readonly CrashFinding[]
}

/** One run from its start to its end, through the crashes on its way. */
export interface Trial {
  readonly transcript: readonly unknown[]
  /** Outcome and the state of every call. */
  readonly ending: unknown
  readonly effects: readonly PerformedEffect[]
  /** Names of tools with effects `once`. */
  readonly onceTools: ReadonlySet<string>
  /** Writes of each process. */
  readonly writes: readonly number[]
  readonly takeovers: number
  /** Waits that an interrupted call explains. */
  readonly interruptions: number
  readonly problems: readonly CrashProblem[]
}
