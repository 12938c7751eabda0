import type { CheckedDecision } from '../../domain/check-decision.ts'
import type { StoredDecision } from '../../domain/inbox.ts'

/** Ids by which the calls these decisions may be for are found: a suspension that is over is known by its answer alone. */
export function namesOf(checked: readonly CheckedDecision[], decisions: readonly StoredDecision[]): readonly string[] {
  const targets = checked.flatMap((item) => ('decision' in item ? [item.decision.target] : []))
  const past = decisions.filter(({ suspensionId }) => suspensionId !== null && targets.includes(suspensionId))
  return [...targets, ...past.map(({ callId }) => callId)]
}
