import type { CallRecord, CallStatus } from '../domain/call.ts'
import { carriedIn } from '../domain/carried.ts'
import { isRecord } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { ReadRun } from '../driving/read-original.ts'
import { storedInput } from './deliver-ends.ts'
import { isHandover } from './lineage.ts'

/** The maximum number of hand-overs between two messages of a user. */
const mostHandovers = 16

/** Returns why a call may not hand the conversation over, or undefined if it may. */
export async function handoverProblem(host: AgentCore, runId: string, callId: string): Promise<string | undefined> {
  const { store } = host
  const input = await storedInput(store, runId)
  const isServed = isRecord(input) && input['served'] !== undefined
  if (input === undefined || isServed)
    return 'Only a stored run for which no service waits can hand a conversation over.'
  const { log, calls } = await store.read(runId)
  const own = calls.find(({ record }) => record.callId === callId)?.record
  const earlier = calls.some(
    ({ record: { messageSeq, seq, toolName, status } }) =>
      messageSeq === own?.messageSeq && seq < own.seq && isHandover(host, toolName) && !isRefused(status),
  )
  if (earlier) return 'This answer already hands the conversation over.'
  if (handoversIn({ input, log }) < mostHandovers) return undefined
  return `The conversation was handed over ${mostHandovers} times since the last message of the user.`
}

function isRefused(status: CallStatus): boolean {
  return status === 'failed' || status === 'cancelled'
}

/**
 * Returns true if the last answer of a run hands the conversation over. If a person or a plugin gave the result of the
 * call, the tool has not run.
 */
export async function isHandedOver(host: AgentCore, runId: string): Promise<boolean> {
  const call = await handingCall(host, runId)
  return call !== undefined && (await handoverProblem(host, runId, call.callId)) === undefined
}

/** Returns the first call of the last answer of a run that has handed the conversation over. */
export async function handingCall(host: AgentCore, runId: string): Promise<CallRecord | undefined> {
  const calls = (await host.store.calls(runId)).map(({ record }) => record)
  const last = calls.at(-1)?.messageSeq
  return calls.find(
    (call) => call.messageSeq === last && isHandover(host, call.toolName) && call.status === 'succeeded',
  )
}

/** Returns the number of hand-overs since the last message of a user, up to the beginning of a run. */
export function handoversIn({ input, log }: Pick<ReadRun, 'input' | 'log'>): number {
  const carried = carriedIn(input)
  const isAsked = log.some(
    (entry) =>
      entry.kind === 'message' &&
      entry.seq > carried &&
      entry.message.role === 'user' &&
      entry.message.background === undefined,
  )
  const count = isRecord(input) ? input['handovers'] : undefined
  return isAsked || typeof count !== 'number' ? 0 : count
}
