import { type CallRecord, isTerminal } from './call.ts'
import type { PostAnswer, PostedItem, PostReceipt } from './inbox.ts'

/** The facts about a run for a posted item, read from the store in the same transaction. */
export interface PostFacts {
  readonly runId: string
  readonly isDone: boolean
  /** Returns every call of the run, including settled ones; called for items that name a call. */
  readonly calls: () => readonly CallRecord[]
  /** Returns the stored items that are not consumed; called for items that must not be stored twice. */
  readonly unconsumed: () => readonly StoredItem[]
  /** Returns every stored item of the same kind, consumed ones included; called for items that are stored once. */
  readonly ofKind: () => readonly StoredItem[]
}

interface StoredItem {
  readonly kind: string
  readonly callId: string | null
}

/** Judges one posted item, which is stored if the answer is `applied`; every store uses this function. */
export function judgePost(item: PostedItem, facts: PostFacts): PostReceipt {
  switch (item.kind) {
    case 'cancel':
      return judgeCancel(facts)
    case 'cancelCall':
      return judgeCallCancel(item.callId, facts)
    case 'extension':
      return facts.isDone ? hasEnded(facts.runId) : answered(facts.runId, 'applied')
    case 'steer':
    case 'followUp':
      return facts.isDone ? hasEnded(facts.runId, goOn) : answered(facts.runId, 'applied')
    case 'background':
      return judgeResult(item.childRunId, facts)
    case 'serviceAnswer':
      // Stores convert such an item to a decision.
      return answered(facts.runId, 'refused', 'An answer of a service is a decision, and not an item of its own.')
  }
}

function judgeCancel({ runId, isDone, unconsumed }: PostFacts): PostReceipt {
  if (isDone) return hasEnded(runId)
  if (!unconsumed().some(({ kind }) => kind === 'cancel')) return answered(runId, 'applied')
  return answered(runId, 'duplicate', `A cancel of run "${runId}" is stored already and not carried out yet.`)
}

function judgeResult(childRunId: string, { runId, isDone, ofKind }: PostFacts): PostReceipt {
  if (ofKind().some(({ callId }) => callId === childRunId))
    return answered(runId, 'duplicate', `The result of run "${childRunId}" is stored already.`)
  return isDone ? hasEnded(runId) : answered(runId, 'applied')
}

const goOn = ' Continue it in a new run with prompt(), or begin one without its transcript with start().'

function hasEnded(runId: string, wayOn = ''): PostReceipt {
  return answered(runId, 'stale', `Run "${runId}" has ended.${wayOn}`)
}

function judgeCallCancel(callId: string, { isDone, calls, unconsumed }: PostFacts): PostReceipt {
  const known = calls()
  const call = known.find((candidate) => candidate.callId === callId)
  if (call === undefined) return answered(callId, 'unknown', unknownMessage(callId, known))
  if (isDone || isTerminal(call.status)) return answered(callId, 'stale', `Call "${callId}" has settled.`)
  const isAsked = unconsumed().some((row) => row.kind === 'cancelCall' && row.callId === callId)
  if (!isAsked) return answered(callId, 'applied')
  return answered(callId, 'duplicate', `A cancel of call "${callId}" is stored already and not carried out yet.`)
}

function unknownMessage(target: string, calls: readonly CallRecord[]): string {
  const sharing = calls.filter(({ toolCallId }) => toolCallId === target).map(({ callId }) => callId)
  if (sharing.length > 1) return `"${target}" was the id of several calls: ${sharing.join(', ')}. Name one of them.`
  const open = calls.filter(({ status }) => !isTerminal(status)).map(({ callId }) => callId)
  const expected = open.length === 0 ? 'No call of this run is open.' : `Open calls: ${open.join(', ')}.`
  return `No call "${target}" in this run. ${expected}`
}

function answered(target: string, answer: PostAnswer, message?: string): PostReceipt {
  return { target, answer, ...(message === undefined ? {} : { message }) }
}
