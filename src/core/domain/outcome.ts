import { isRecord } from './text/json.ts'
import { isOneOf } from './text/shape.ts'

/** The status of a run (requirement RUN-01). `waiting` means that it waits for decisions and does nothing else. */
export type RunStatus = 'running' | 'waiting' | 'done'

/** Returns true for the status of a run. */
export const isRunStatus = isOneOf<RunStatus>('running', 'waiting', 'done')

/** The reason for which a run stopped (requirement RUN-05): `suspended` while it waits, else the reason of its end. */
export type RunReason = 'natural_end' | 'plugin_requested' | 'stopped' | 'cancelled' | 'suspended' | 'error'

/** The error that ended a run. */
export interface RunError {
  /** Literal code, e.g. `api_error`, `engine_error`, `state_conflict`. */
  readonly code: string
  readonly message: string
}

/**
 * Returns the error in a value, or undefined without one. An error without a code counts as `api_error`, because older
 * runs stored such errors for unknown kinds of model errors.
 */
export function runErrorIn(value: unknown): RunError | undefined {
  if (!isRecord(value) || typeof value['message'] !== 'string') return undefined
  const { code = 'api_error', message } = value
  return typeof code === 'string' ? { code, message } : undefined
}

/** The reason of a run's end or wait, with its code and error. */
export interface Outcome {
  readonly reason: RunReason
  /** For `stopped`: `max_turns`, `loop_detected`, … */
  readonly code?: string
  /**
   * The error that ended the run. With code `hold_denied` or `run_cancelled`, its message is the reason given for the
   * denial or the cancel.
   */
  readonly error?: RunError
}

/** The names that a commit may have (requirement CKP-01). Every end and every wait has `RunFinished`. */
export type CheckpointName = 'UserMessage' | 'AssistantTurnCommitted' | 'ToolResultsCommitted' | 'RunFinished'
