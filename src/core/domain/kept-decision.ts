import type { StoredDecision } from './inbox.ts'
import { familyDecision } from './family-link.ts'
import type { Suspension } from './suspension.ts'

type Kept = Pick<StoredDecision, 'action' | 'decisionId'>

/** Returns true if a later kept decision replaces an earlier one. Only a cancel replaces a wake. */
export function supersedes(later: Kept, earlier: Kept): boolean {
  return !isWake(earlier) || later.action === 'cancel'
}

/**
 * Returns true if a kept decision may answer a call's first suspension. It never answers an interrupted call. It can
 * cancel or wake a call that waits for its sub-agent, but cannot give it arguments or a result.
 */
export function takesKept(suspension: Pick<Suspension, 'reason'> | null | undefined, kept: Kept): boolean {
  if (suspension?.reason === 'interrupted') return false
  return suspension?.reason !== 'subAgent' || kept.action === 'cancel' || isWake(kept)
}

/** Returns true for the decision by which a call looks at its child again. */
export function isWake({ decisionId }: Kept): boolean {
  return decisionId.startsWith(familyDecision)
}
