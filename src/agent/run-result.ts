import type { CallRecord } from '../domain/call.ts'
import { type Message, textOf } from '../domain/message.ts'
import type { Outcome, RunStatus } from '../domain/outcome.ts'
import { addUsage, noUsage, type Usage } from '../domain/usage.ts'
import type { StoredRun } from '../ports/store.ts'

/** How a run stands when nobody drives it on. */
export interface RunResult {
  readonly runId: string
  readonly status: RunStatus
  readonly outcome: Outcome
  /** The model's last answer; empty while the run waits and where there is none. */
  readonly text: string
  readonly usage: Usage
  /** The calls that wait for a decision. */
  readonly suspended: readonly CallRecord[]
}

/** Reads a result from the store alone. */
export function resultOf({ record, log, calls }: StoredRun): RunResult {
  const { id, status, doneReason, code, error } = record
  const messages = log.flatMap((entry) => (entry.kind === 'message' ? entry.message : []))
  return {
    runId: id,
    status,
    outcome: {
      reason: doneReason ?? 'suspended',
      ...(code === undefined ? {} : { code }),
      ...(error === undefined ? {} : { error }),
    },
    text: status === 'done' ? finalText(messages) : '',
    usage: messages.reduce(
      (sum, message) => (message.role === 'assistant' ? addUsage(sum, message.usage) : sum),
      noUsage,
    ),
    suspended: calls.map(({ record: call }) => call).filter((call) => call.status === 'suspended'),
  }
}

function finalText(messages: readonly Message[]): string {
  const answer = messages.findLast((message) => message.role === 'assistant')
  return answer === undefined ? '' : textOf(answer)
}
