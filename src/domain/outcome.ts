import { isRecord } from './json.ts'

/** How a run stands (requirement RUN-01): `waiting` for decisions, with nothing going on. */
export type RunStatus = 'running' | 'waiting' | 'done'

/** Why a run stopped (requirement RUN-05): `suspended` while it waits, else how it ended. */
export type RunReason = 'natural_end' | 'plugin_requested' | 'stopped' | 'cancelled' | 'suspended' | 'error'

/** Why a run ended in an error. */
export interface RunError {
  /** Literal code, e.g. `api_error`, `engine_error`, `state_conflict`. */
  readonly code: string
  readonly message: string
}

/**
 * The error a value holds; undefined where it is none. One without a code, as runs stored for a model error of an unknown
 * kind, is an `api_error`.
 */
export function runErrorIn(value: unknown): RunError | undefined {
  if (!isRecord(value) || typeof value['message'] !== 'string') return undefined
  const { code = 'api_error', message } = value
  return typeof code === 'string' ? { code, message } : undefined
}

/** How a run ended, or why it waits. */
export interface Outcome {
  readonly reason: RunReason
  /** For `stopped`: `max_turns`, `loop_detected`, … */
  readonly code?: string
  readonly error?: RunError
}

/** The names a commit may carry (requirement CKP-01); one may carry several. */
export type CheckpointName = 'UserMessage' | 'AssistantTurnCommitted' | 'ToolResultsCommitted' | 'RunFinished'
