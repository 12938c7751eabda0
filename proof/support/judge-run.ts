import type { CallRecord } from '../../src/core/domain/call.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Journal, JournalLine } from './journal.ts'

/** The losses and duplicates of one run, each as a sentence. */
export interface Judgement {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

/** Names of tools that may be performed again under the same key. */
const idempotentTools = ['put', 'look']

/** Holds what the store says of a finished run against what happened outside. */
export async function judgeRun(store: Store, journal: Pick<Journal, 'linesOf'>, runId: string): Promise<Judgement> {
  const { status } = await store.record(runId)
  const calls = (await store.calls(runId)).flatMap(({ record }) => (record.isHold === true ? [] : record))
  const lines = journal.linesOf(runId)
  const lost: string[] = status === 'done' ? [] : [`Run ${runId} is ${status}.`]
  const doubled: string[] = []
  for (const call of calls) {
    const own = lines.filter(({ callId }) => callId === call.callId)
    const wanted = call.status === 'succeeded' ? 1 : 0
    const found = idempotentTools.includes(call.toolName) ? new Set(own.map(keyOf)).size : own.length
    const sentence = `Call ${call.callId} of run ${runId} is ${call.status} and acted ${found} times: ${JSON.stringify(own)}.`
    if (found > wanted) doubled.push(sentence)
    if (found < wanted || call.result === undefined) lost.push(sentence)
  }
  const strays = lines.filter(({ callId }) => !calls.some((call) => call.callId === callId))
  doubled.push(...strays.map(({ callId }) => `Call ${callId} of run ${runId} acted and is not on record.`))
  lost.push(...(await lostDecisions(store, runId, calls)))
  return { lost, doubled }
}

function keyOf({ idempotencyKey }: JournalLine): string {
  return idempotencyKey
}

/** Each decision was taken in, and the last one of a call is what became of it. */
async function lostDecisions(store: Store, runId: string, calls: readonly CallRecord[]): Promise<readonly string[]> {
  const unseen = await store.inbox(runId, { isOpen: true })
  const rows = await store.inbox(runId, { kinds: ['decision'] })
  const lost = unseen.map(({ item }) => `A row of kind ${item.kind} of run ${runId} was never taken in.`)
  for (const { callId, status } of calls) {
    const last = rows.findLast(({ item }) => item.kind === 'decision' && item.decision.callId === callId)?.item
    if (last?.kind !== 'decision') continue
    const { action } = last.decision
    const isKept = action === 'resume' ? status === 'succeeded' : status === 'cancelled'
    if (!isKept) lost.push(`Call ${callId} of run ${runId} is ${status} after the decision to ${action}.`)
  }
  return lost
}
