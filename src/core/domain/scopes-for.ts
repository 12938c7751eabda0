import { isRecord } from './text/json.ts'
import { expecting } from './text/option-shape.ts'
import type { CallRecord } from './call.ts'
import type { DecisionScope } from './decision-scope.ts'
import { offeredScopes } from './grant.ts'

/**
 * Returns the scopes that a page may offer for the answer to a suspended call, narrowest first: `family` only in a
 * family. If an answer cannot apply beyond its call, only `once` is returned. A run without `userId` and `accessControl` rejects `always` when the
 * decision is made.
 *
 * @example
 * const [, ...wider] = scopesFor(call)
 */
export function scopesFor(call: Pick<CallRecord, 'isHold' | 'suspension' | 'resumeMode'>): readonly DecisionScope[] {
  checkCall(call, { field: 'call', owner: 'scopesFor' })
  return offeredScopes(call)
}

const checkCall = expecting('a suspended call', isRecord)
