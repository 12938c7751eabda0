/** The reason of a caller's error, such as an invalid option or argument, an ambiguous call, or a detached run. */
export type UsageErrorCode =
  | 'bad_tool_name'
  | 'tool_name_taken'
  | 'bad_batch_size'
  | 'bad_option'
  | 'bad_number'
  | 'bad_run_id'
  | 'bad_prompt'
  | 'bad_message'
  | 'bad_metadata'
  | 'bad_decision'
  | 'run_busy'
  | 'run_waiting'
  | 'ambiguous_call'
  | 'run_detached'
  | 'run_done'
  | 'bad_event_number'
  | 'other_agent'
  | 'other_prompt'
  | 'agent_closed'
  | 'worker_drained'
  | 'bad_step'
  | 'step_repeated'
  | 'bad_actor'
  | 'package_missing'
  | 'old_platform'
  | 'bad_session_id'
  | 'bad_session'
  | 'bad_config_id'
  | 'bad_checkpoint'
  | 'other_session'
  | 'other_subject'
  | 'other_labels'
  | 'nothing_to_answer'
  | 'nothing_to_compact'
  | 'bad_cursor'
  | 'bad_branches'

/** Thrown for an invalid request of the caller; the message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
