import { carriedIn } from '../domain/carried.ts'
import { familyIn } from '../domain/family-link.ts'
import { isRecord } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { ReadRun } from '../driving/read-original.ts'
import { storedInput } from './deliver-ends.ts'
import { isHandover } from './lineage.ts'

/** The maximum number of hand-overs between two messages of a user. */
const mostHandovers = 16

/** Throws an error for a call that may not hand the conversation over. */
export async function acceptHandover(host: AgentCore, runId: string, callId: string): Promise<void> {
  const { store } = host
  const input = await storedInput(store, runId)
  const isServed = isRecord(input) && input['served'] !== undefined
  if (input === undefined || familyIn(input) !== undefined || isServed)
    throw new Error('A conversation is handed over by a stored run for which no other run and no service waits.')
  const { log, calls } = await store.read(runId)
  const own = calls.find(({ record }) => record.callId === callId)?.record
  const earlier = calls.some(
    ({ record: { messageSeq, seq, toolName, status } }) =>
      messageSeq === own?.messageSeq && seq < own.seq && isHandover(host, toolName) && status !== 'failed',
  )
  if (earlier) throw new Error('This answer hands the conversation over already.')
  if (handoversIn({ input, log }) >= mostHandovers)
    throw new Error(`The conversation was handed over ${mostHandovers} times since the last message of the user.`)
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
