import type { CallRecord } from '../../domain/call.ts'
import type { CheckedDecision } from '../../domain/check-decision.ts'
import type { DecisionFacts } from '../../domain/judge-decision.ts'

/** Returns the ids in decisions by which calls and earlier decisions are found: their targets, and their own ids. */
export function namesOf(checked: readonly CheckedDecision[]): readonly string[] {
  return checked.flatMap((item) => {
    if (!('decision' in item)) return []
    const { target, decisionId } = item.decision
    return decisionId === undefined ? [target] : [target, decisionId]
  })
}

/** Returns the ids that a decision about one of these calls may have begun with, or may name. */
export function namesOfCalls(calls: readonly CallRecord[]): readonly string[] {
  return calls.flatMap(({ callId, suspension }) => (suspension === undefined ? [callId] : [callId, suspension.id]))
}

/** Returns true if each decision is surely about one of these calls, and about no other one. */
export function areKnown(
  checked: readonly CheckedDecision[],
  { calls, decisions }: Pick<DecisionFacts, 'calls' | 'decisions'>,
): boolean {
  const ids = new Set(calls.map(({ callId }) => callId))
  const known = new Set(calls.flatMap((call) => [call.toolCallId, ...namesOfCalls([call])]))
  const elsewhere = new Set(decisions.flatMap(({ callId, suspensionId }) => (ids.has(callId) ? [] : suspensionId)))
  return checked.every(
    (item) => !('decision' in item) || (known.has(item.decision.target) && !elsewhere.has(item.decision.target)),
  )
}
