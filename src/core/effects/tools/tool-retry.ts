import type { Performed, RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { AgentEvent } from '../../domain/event.ts'
import { textOf } from '../../domain/message.ts'
import type { Tool } from '../../ports/tool.ts'
import { backoffMs } from '../backoff.ts'

/** The result of a performance: the chart's event, and the patch of the call's record. */
export interface Conclusion {
  readonly output: Performed
  readonly patch: Pick<CallRecord, 'result' | 'suspension' | 'patch'>
}

/** The time and the reason of the next attempt. */
type Retry = NonNullable<Extract<AgentEvent, { type: 'toolExecution.ended' }>['retry']>

/** The maximum characters of a failure's text. */
const maxMessage = 10_000

/** Returns the retry of a performance. Undefined if it did not fail, may not be retried, or has no attempts left. */
export function retryOf(
  retry: NonNullable<Tool['retry']>,
  { effects, failures = 0 }: RunToolInput,
  { output, patch }: Conclusion,
  random: () => number,
): Retry | undefined {
  if (effects === 'once' || output.status !== 'failed') return undefined
  if (failures + 1 >= retry.attempts) return undefined
  const { baseMs = 1000, maxMs = 30_000 } = retry
  const delay = backoffMs(failures, { initialDelayMs: baseMs, factor: 2, maxDelayMs: maxMs, random })
  return { at: output.at + delay, message: messageOf(patch) }
}

/** Returns the retry of a performance that has not acted. */
export function retryAtOnce({ output: { at }, patch }: Conclusion): Retry {
  return { at, message: messageOf(patch) }
}

function messageOf({ result }: Conclusion['patch']): string {
  return result === undefined ? '' : textOf(result).slice(0, maxMessage)
}
