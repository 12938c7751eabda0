/** Layer-1 status. */
export type RunStatus = 'running' | 'waiting' | 'done'

/** Termination reasons (requirement RUN-05). */
export type RunReason = 'natural_end' | 'plugin_requested' | 'stopped' | 'cancelled' | 'suspended' | 'error'

export interface RunError {
  /** Literal code, e.g. `api_error`, `engine_error`, `state_conflict`. */
  readonly code: string
  readonly message: string
}

/** How a run ended, or why it waits. */
export interface Outcome {
  readonly reason: RunReason
  /** For `stopped`: `max_turns`, `loop_detected`, … */
  readonly code?: string
  readonly error?: RunError
}

/** Named commits (requirement CKP-01). */
export type CheckpointName = 'UserMessage' | 'AssistantTurnCommitted' | 'ToolResultsCommitted' | 'RunFinished'
