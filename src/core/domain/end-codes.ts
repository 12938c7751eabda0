/**
 * The codes of this package that an end may have, by the reason of the end. The guide `endings` says what brings each of
 * them. A plugin may stop a run with another code, and a machine in the place of the model call may end one with another.
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
    'state_conflict',
    'effect_failed',
    'engine_error',
  ],
} as const

/** A code of this package with which a run is stopped. */
export type StopCode = (typeof endCodes.stopped)[number]

/** A code of this package that the error of an outcome may have. */
export type RunErrorCode = (typeof endCodes.error)[number]
