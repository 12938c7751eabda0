import { type CallRecord, isTerminal } from '../../src/core/domain/call.ts'
import type { Decision, DecisionAnswer } from '../../src/core/domain/decision.ts'
import type { StoredDecision } from '../../src/core/domain/inbox.ts'
import { canonicalJson, type Json } from '../../src/core/domain/text/json.ts'

/** The known state when decisions arrive. */
export interface DecisionFacts {
  readonly calls: readonly CallRecord[]
  readonly decisions: readonly StoredDecision[]
  /** Calls whose cancel is stored. */
  readonly cancelled: readonly string[]
  readonly now: number
}

/** The answers the rules allow, item by item; written from the rules, not from the engine. */
export function allowedAnswers(
  items: readonly Decision[],
  { calls, decisions, cancelled, now }: DecisionFacts,
): readonly (readonly DecisionAnswer[])[] {
  if (contradicts(items, calls)) return items.map(() => ['refused'])
  const stored = [...decisions]
  return items.map((item) => {
    const answers = allowedAnswer(item, { calls, decisions: stored, cancelled, now })
    const call = findCall(item.target, calls, decisions)
    const suspensionId = call?.suspension?.id ?? null
    if (call !== undefined && (answers.includes('applied') || answers.includes('kept'))) {
      stored.push({ ...item, decisionId: item.decisionId ?? '', callId: call.callId, suspensionId, at: now })
    }
    return answers
  })
}

function allowedAnswer(item: Decision, { calls, decisions, cancelled, now }: DecisionFacts): readonly DecisionAnswer[] {
  if (item.action !== 'resume' && item.action !== 'cancel') return ['refused']
  const call = findCall(item.target, calls, decisions)
  if (call === undefined) return ['unknown']
  const isCancelled = cancelled.includes(call.callId)
  const judged = judge(item, isCancelled ? { ...call, status: 'cancelled' } : call, decisions, now)
  if (isUnread(item, call) && (judged.includes('applied') || judged.includes('kept'))) return ['refused']
  return !fits(item, call) && judged.includes('applied') ? ['refused'] : judged
}

function judge(
  item: Decision,
  call: CallRecord,
  decisions: readonly StoredDecision[],
  now: number,
): readonly DecisionAnswer[] {
  const named = decisions.find(({ decisionId }) => item.decisionId !== undefined && decisionId === item.decisionId)
  if (named !== undefined) return named.callId === call.callId ? ['duplicate'] : ['duplicate', 'stale']
  const isOwn = item.target === call.callId || item.target === call.toolCallId
  const suspensionId = isOwn ? (call.suspension?.id ?? null) : item.target
  const answers = decisions.filter((row) => row.callId === call.callId && row.suspensionId === suspensionId)
  const again = suspensionId === null ? answers.slice(-1) : answers
  const isAgain = again.some((row) => payloadOf(row) === payloadOf(item))
  if (isAgain) return ['duplicate']
  if (isTerminal(call.status)) return ['stale']
  if (suspensionId === null) return ['kept']
  const isOpen = call.status === 'suspended' && call.suspension?.id === suspensionId
  if (!isOpen || answers.length > 0) return ['stale']
  const { expiresAt = Infinity } = call.suspension
  return expiresAt <= now ? ['stale'] : ['applied']
}

function findCall(
  target: string,
  calls: readonly CallRecord[],
  decisions: readonly StoredDecision[],
): CallRecord | undefined {
  const byId = calls.find((call) => call.callId === target) ?? calls.find((call) => call.suspension?.id === target)
  if (byId !== undefined) return byId
  const past = decisions.find((row) => row.suspensionId === target)
  if (past !== undefined) return calls.find((call) => call.callId === past.callId)
  const named = calls.filter((call) => call.toolCallId === target)
  return named.length === 1 ? named[0] : undefined
}

/** True for a value that nobody would read. */
function isUnread({ action, mode, input, result }: Decision, { resumeMode }: CallRecord): boolean {
  if (action === 'cancel') return input !== undefined || result !== undefined
  return (mode ?? resumeMode) === 'replay' ? result !== undefined : input !== undefined
}

/** Every tool here takes `{ n: number }` and promises no output. */
function fits({ action, mode, input, result }: Decision, { resumeMode, toolName }: CallRecord): boolean {
  if (action === 'cancel' || toolName === 'nope') return true
  switch (mode ?? resumeMode) {
    case 'replay':
      return input === undefined || isInput(input)
    case 'use-as-result':
      return result !== undefined
    case 'pass-to-tool':
      return result !== undefined && isInput(result)
  }
}

function isInput(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'n' in value && typeof value['n'] === 'number'
}

function contradicts(items: readonly Decision[], calls: readonly CallRecord[]): boolean {
  const [first, ...others] = items
  if (first === undefined) return false
  const meant = (item: Decision) => findCall(item.target, calls, [])?.callId ?? item.target
  return others.some((other) => meant(other) === meant(first) && payloadOf(other) !== payloadOf(first))
}

function payloadOf({ action, mode, input, result, reason }: Decision): string {
  const all = { action, mode, input, result, reason }
  return canonicalJson(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Json)
}
