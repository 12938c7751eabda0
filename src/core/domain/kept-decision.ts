import type { StoredDecision } from './inbox.ts'
import { familyDecision } from './family-link.ts'
import type { Suspension } from './suspension.ts'

type Kept = Pick<StoredDecision, 'action' | 'decisionId'>

/** Returns true if a decision that was kept later takes the place of an earlier one. Only a cancel takes that of a wake. */
export function supersedes(later: Kept, earlier: Kept): boolean {
  return !isWake(earlier) || later.action === 'cancel'
}

/**
 * Returns true if a decision that was kept for a call may answer its first suspension. It never answers an interrupted
 * call. A call that waits for its sub-agent is cancelled by it, or woken, but given no other arguments and no result.
 */
export function takesKept(suspension: Pick<Suspension, 'reason'> | null | undefined, kept: Kept): boolean {
  if (suspension?.reason === 'interrupted') return false
  return suspension?.reason !== 'subAgent' || kept.action === 'cancel' || isWake(kept)
}

/** Returns true for the decision by which a call looks at its child again. */
export function isWake({ decisionId }: Kept): boolean {
  return decisionId.startsWith(familyDecision)
}
