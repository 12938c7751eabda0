import type { AgentEvent } from '../../core/domain/event.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { Outcome } from '../../core/domain/outcome.ts'
import type { RunConfiguration } from '../../core/domain/run-configuration.ts'
import type { Continuation } from '../../core/domain/continuation.ts'
import type { TranscriptMessage } from '../../core/domain/transcript-message.ts'
import type { Usage } from '../../core/domain/usage.ts'

/** The origin of a session: a name, its first run, or a run after `afterMs` milliseconds of inactivity. */
export type SessionFormation =
  | { readonly kind: 'explicit' }
  | { readonly kind: 'firstRun' }
  | { readonly kind: 'inactivityTimeout'; readonly afterMs: number }

/** Recorded runs that belong together, as plain JSON with times in Unix milliseconds. */
export interface RecordedSession {
  /** 1 to 64 of the letters `A-Z`, `a-z`, `0-9`, `_` and `-`. */
  readonly id: string
  readonly agentId: string
  readonly createdAt: number
  readonly lastActiveAt: number
  readonly formation: SessionFormation
  /** The call that had the session's first run do a part of its work. */
  readonly spawnedFrom?: SpawnedFrom
  /** In the order in which they began. */
  readonly runs: readonly RecordedRun[]
}

/** The origin of a spawned session; the call is absent if only the child names its parent. */
export interface SpawnedFrom {
  readonly runId: string
  readonly sessionId?: string
  readonly callId?: string
  readonly toolName?: string
}

/**
 * The status of a recorded run: `aborted` was cancelled, or stopped and closed by `flush`; `failed` ended in an error.
 */
export type RecordedStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'rejected' | 'aborted' | 'failed'

/** One run of a session, derived from its events; plain JSON, times in Unix milliseconds. */
export interface RecordedRun {
  readonly id: string
  readonly sessionId: string
  readonly agentId: string
  /** Name of the agent that started the run; empty if its start is not among the events. */
  readonly agent: string
  readonly subject: string
  readonly parentRunId?: string
  readonly continuation?: Continuation
  readonly startedAt: number
  readonly endedAt?: number
  readonly lastActiveAt: number
  readonly status: RecordedStatus
  readonly outcome?: Outcome
  /** The reason for which an input filter rejected the prompt. */
  readonly rejection?: { readonly filter: string; readonly reason: string }
  readonly configuration?: RecordedConfiguration
  /** The run's own messages, each with its place. */
  readonly messages: readonly TranscriptMessage[]
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
  /** The number of model answers, and of calls in them. */
  readonly turns: number
  readonly calls: number
  /** The application's metadata of the run. */
  readonly metadata: { readonly [name: string]: Json }
  /** Its events, as far as the recorder keeps them. */
  readonly events: readonly AgentEvent[]
  /** Runs of the same session that name this one as their parent. */
  readonly children: readonly string[]
  /** Runs that did the work of a call, in sessions of their own. */
  readonly childRuns: readonly ChildRun[]
  readonly parallelGroup?: ParallelGroup
  /** True if `flush` closed it. */
  readonly isFlushed?: boolean
}

/** The configuration of a run, from `run.started` or else from its first answer. A run of a session also has an id. */
export interface RecordedConfiguration extends RunConfiguration {
  readonly configId?: string
}

/** A run in another session that performed a call. Its session is absent if its run was not recorded. */
export interface ChildRun {
  readonly callId: string
  readonly toolName: string
  readonly runId: string
  readonly sessionId?: string
}

/** The runs of a session that began side by side, in the order in which they began. */
export interface ParallelGroup {
  /** The `parallelGroup` that the runs were begun with. */
  readonly id?: string
  readonly runIds: readonly string[]
  readonly selectedRunId?: string
  readonly selectedIndex?: number
  readonly evaluationUsage?: Usage
  /** True for the run that a later run continues. */
  readonly isSelected: boolean
}

/** A session in a list. */
export interface SessionHead {
  readonly id: string
  readonly agentId: string
  readonly createdAt: number
  readonly lastActiveAt: number
  /** The number of runs. */
  readonly runs: number
}

/** Returns true for a run that cannot continue. */
export function isOver({ status }: RecordedRun): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'waiting'
}

/** Returns a session in the form of lists. */
export function headOf({ id, agentId, createdAt, lastActiveAt, runs }: RecordedSession): SessionHead {
  return { id, agentId, createdAt, lastActiveAt, runs: runs.length }
}
