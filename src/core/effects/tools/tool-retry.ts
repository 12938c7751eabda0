import type { Performed, RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { AgentEvent } from '../../domain/event.ts'
import { textOf } from '../../domain/message.ts'
import type { Tool } from '../../ports/tool.ts'
import { backoffMs } from '../backoff.ts'

/** What a performance came to: what its chart hears, and what its call's record gains. */
export interface Conclusion {
  readonly output: Performed
  readonly patch: Pick<CallRecord, 'result' | 'suspension' | 'patch'>
}

/** When a failed performance is tried again, and what went wrong. */
type Retry = NonNullable<Extract<AgentEvent, { type: 'toolExecution.ended' }>['retry']>

/** Characters of a failure that are told. */
const maxMessage = 10_000

/** Undefined where a performance is not tried again: it did not fail, it may not be, or its attempts are spent. */
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
  return { at: output.at + delay, message: patch.result === undefined ? '' : textOf(patch.result).slice(0, maxMessage) }
}
