import { checkDecision } from '../domain/check-decision.ts'
import type { PostReceipt } from '../domain/inbox.ts'
import { UsageError } from '../domain/text/usage-error.ts'

/** Checks the reason of a cancel by the rules for denials. Returns a receipt if it is refused. */
export function checkCancel(target: string, reason: unknown): PostReceipt | { readonly reason?: string } {
  const checked = checkDecision({ target, action: 'cancel', ...(reason === undefined ? {} : { reason }) })
  if ('problem' in checked) return { target: checked.target, answer: 'refused', message: checked.problem }
  const { decision } = checked
  return decision.reason === undefined ? {} : { reason: decision.reason }
}

/**
 * Returns a copy of a list of decisions, so that later changes by the caller have no effect. Throws a `UsageError`
 * `bad_decision` for a value that is not a list.
 */
export function itemsOf(decisions: unknown): readonly unknown[] {
  try {
    if (Array.isArray(decisions)) return [...decisions]
  } catch {
    // A list that cannot be read is none.
  }
  const wish = 'Expected a list of { target, action, … }; for one call use approve, deny, respond or edit.'
  throw new UsageError('bad_decision', `The decisions are not a list. ${wish} Nothing was stored.`)
}
