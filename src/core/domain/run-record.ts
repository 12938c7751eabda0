import type { RunError, RunReason, RunStatus } from './outcome.ts'

/** The durable record of a run (requirement RUN-05). Reading it executes nothing. */
export interface RunRecord {
  readonly id: string
  readonly agent: string
  /** The version of the agent that the run is kept for. Absent: workers of any version drive it. */
  readonly agentVersion?: string
  readonly status: RunStatus
  /** The last reason for which the run stopped; `suspended` while it waits. */
  readonly doneReason?: RunReason
  readonly code?: string
  readonly error?: RunError
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The number of commits so far. */
  readonly version: number
  /** The original run and its checkpoint version, for a fork. */
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
  /** The session of the run. */
  readonly session?: string
  /** The subject of the run; by default its id. */
  readonly subject?: string
  readonly labels?: { readonly [name: string]: string }
  /** The first line of the user's last message at the run's start, at most 200 characters. */
  readonly prompt?: string
}
