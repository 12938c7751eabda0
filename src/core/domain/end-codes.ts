/**
 * The codes of this package for a run's end, by its reason. The guide `endings` explains the cause of each code. A
 * plugin may stop a run with another code, and a custom machine for the model call may end one with another code.
 */
export const endCodes = {
  stopped: [
    'max_turns',
    'max_tokens',
    'max_duration',
    'max_tool_interactions',
    'max_cost',
    'loop_detected',
    'before_loop',
    'before_turn',
    'input_rejected',
    'model_unavailable',
    'answer_refused',
    'handed_over',
  ],
  error: [
    'max_turns',
    'max_tokens',
    'max_duration',
    'max_tool_interactions',
    'max_cost',
    'rate_limit',
    'network_error',
    'auth_error',
    'context_overflow',
    'api_error',
    'cancelled',
    'output_failed',
    'permission_failed',
    'hold_denied',
    'run_cancelled',
    'branches_failed',
    'state_conflict',
    'effect_failed',
    'engine_error',
  ],
} as const

/** A code of this package for a stopped run. */
export type StopCode = (typeof endCodes.stopped)[number]

/** A code of this package for the error of an outcome. */
export type RunErrorCode = (typeof endCodes.error)[number]
