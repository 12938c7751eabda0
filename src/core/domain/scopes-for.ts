import { isRecord } from './text/json.ts'
import { expecting } from './text/option-shape.ts'
import type { CallRecord } from './call.ts'
import type { DecisionScope } from './decision.ts'
import { isGrantable } from './grant.ts'

/**
 * Returns the scopes that a page may offer for the answer to a suspended call, the narrowest first. `once` alone is left
 * where an answer grants nothing beyond its call. A run without `userId` and `accessControl` refuses `always` when it is
 * decided.
 *
 * @example
 * const [, ...wider] = scopesFor(call)
 */
export function scopesFor(call: Pick<CallRecord, 'isHold' | 'suspension' | 'resumeMode'>): readonly DecisionScope[] {
  checkCall(call, { field: 'call', owner: 'scopesFor' })
  if (!isGrantable(call) || call.resumeMode !== 'replay') return ['once']
  return call.suspension?.scopes ?? ['once', 'run', 'always']
}

const checkCall = expecting('a suspended call', isRecord)
