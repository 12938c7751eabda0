import type { RunError, RunReason, RunStatus } from './outcome.ts'

/** The durable run record (requirement RUN-05). Reading it runs nothing. */
export interface RunRecord {
  readonly id: string
  readonly agent: string
  readonly status: RunStatus
  /** The last reason the run stopped for; `suspended` while it waits. */
  readonly doneReason?: RunReason
  readonly code?: string
  readonly error?: RunError
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Number of commits so far. */
  readonly version: number
  /** The run and the checkpoint version this one was forked from. */
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
  /** The session that the run belongs to. */
  readonly session?: string
  /** What the run is about: its id where nothing else was said. */
  readonly subject?: string
  readonly labels?: { readonly [name: string]: string }
  /** The first line of what its user said last at its start, at most 200 characters. */
  readonly prompt?: string
}
