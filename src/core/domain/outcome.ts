import { isRecord } from './text/json.ts'

/** How a run stands (requirement RUN-01). `waiting` means that it waits for decisions and nothing else goes on. */
export type RunStatus = 'running' | 'waiting' | 'done'

/** Why a run stopped (requirement RUN-05): `suspended` while it waits, otherwise how it ended. */
export type RunReason = 'natural_end' | 'plugin_requested' | 'stopped' | 'cancelled' | 'suspended' | 'error'

/** Why a run ended in an error. */
export interface RunError {
  /** Literal code, e.g. `api_error`, `engine_error`, `state_conflict`. */
  readonly code: string
  readonly message: string
}

/**
 * The error that a value holds; undefined where it holds none. An error without a code counts as `api_error`; older
 * runs stored such errors for unknown kinds of model errors.
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
  /**
   * The error that ended the run. With code `hold_denied` or `run_cancelled`, the reason that somebody gave for the denial or
   * the cancel that ended it.
   */
  readonly error?: RunError
}

/**
 * The names a commit may carry (requirement CKP-01); one commit may carry several. `RunFinished` is at every end of a
 * run and at every wait.
 */
export type CheckpointName = 'UserMessage' | 'AssistantTurnCommitted' | 'ToolResultsCommitted' | 'RunFinished'
