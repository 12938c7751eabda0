import type { RunView } from '../ports/effect-handler.ts'
import type { RunLog } from './run-log.ts'

/** The one view of a run's log that its effect handlers are given; `decision` finds payloads the log does not hold. */
export function runView(log: RunLog, decision: RunView['decision']): RunView {
  return {
    messages: () => log.messages(),
    message: (seq) => log.message(seq),
    call: (callId) => log.call(callId),
    decision,
    state: () => log.state,
  }
}
