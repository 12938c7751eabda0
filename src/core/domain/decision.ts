import type { ResumeMode } from './call.ts'
import type { DecisionScope } from './decision-scope.ts'
import { canonicalJson, type Json } from './text/json.ts'

export type { DecisionScope } from './decision-scope.ts'

/** What becomes of a suspended call. It goes on, as its resume mode says, or it ends cancelled. */
export type DecisionAction = 'resume' | 'cancel'

/** What a person, policy or service hands in. `target` is a call id or a suspension id. */
export interface Decision {
  readonly target: string
  /** Default: derived from action, payload and the suspension that the target stands for. */
  readonly decisionId?: string
  readonly action: DecisionAction
  readonly mode?: ResumeMode
  /** Edited arguments. A falsy value is a value. */
  readonly input?: Json
  /** The result to use or to pass. A falsy value is a value. */
  readonly result?: Json
  readonly reason?: string
  readonly scope?: DecisionScope
  readonly by?: string
}

/** The answer per item; only the first two change anything. */
export type DecisionAnswer = 'applied' | 'kept' | 'duplicate' | 'stale' | 'unknown' | 'refused'

/** The answer to one item of `decide`. Receipts come in the order of the items. */
export interface DecisionReceipt {
  readonly target: string
  readonly answer: DecisionAnswer
  /** Why, for `refused`; what to do instead where there is something. */
  readonly message?: string
  readonly decisionId?: string
}

/** True where a decision is about more than its call. */
export function goesBeyond({ scope }: Pick<Decision, 'scope'>): boolean {
  return scope === 'run' || scope === 'always'
}

/** The part of a decision that makes two answers the same answer. */
export function decisionPayload(decision: Decision): string {
  const { action, mode, input, result, reason, scope } = decision
  return canonicalJson({
    action,
    ...(mode === undefined ? {} : { mode }),
    ...(input === undefined ? {} : { input }),
    ...(result === undefined ? {} : { result }),
    ...(reason === undefined ? {} : { reason }),
    ...(goesBeyond(decision) ? { scope } : {}),
  })
}
