import type { ResumeMode } from './call.ts'
import type { DecisionScope } from './decision-scope.ts'
import { defined, canonicalJson, type Json } from './text/json.ts'

export type { DecisionScope } from './decision-scope.ts'

/** The action on a suspended call: it continues in its resume mode, or it ends cancelled. */
export type DecisionAction = 'resume' | 'cancel'

/** A decision by a person, a policy or a service. `target` is a call id or a suspension id. */
export interface Decision {
  readonly target: string
  /**
   * Distinguishes a repeated answer from a second answer. Default: derived from the action, the payload and the suspension
   * of the target.
   */
  readonly decisionId?: string
  readonly action: DecisionAction
  readonly mode?: ResumeMode
  /** Edited arguments. A falsy value counts as a value. */
  readonly input?: Json
  /** The result to use or to pass. A falsy value counts as a value. */
  readonly result?: Json
  readonly reason?: string
  /**
   * The scope of an approval, an edit or a denial; default: this call. `once` applies to the next started call with
   * equal arguments. `run` and `always` apply to each call of the tool that the same permission rule, or the tool's own
   * needs, would ask about: in this run, or in all runs for the same `userId`, or without one with the same
   * `accessControl`.
   */
  readonly scope?: DecisionScope
  /** The author of the decision, for the audit. */
  readonly by?: string
}

/** The answer to an item; only `applied` and `kept` have an effect. */
export type DecisionAnswer = 'applied' | 'kept' | 'duplicate' | 'stale' | 'unknown' | 'refused'

/** The answer to one item of `decide`. Receipts come in the order of the items. */
export interface DecisionReceipt {
  readonly target: string
  readonly answer: DecisionAnswer
  /** The reason of `refused`, and advice if there is any. */
  readonly message?: string
  readonly decisionId?: string
}

/** Returns true if a decision applies to more than its call. */
export function goesBeyond({ scope }: Pick<Decision, 'scope'>): boolean {
  return scope !== undefined && scope !== 'once'
}

/** Returns the part of a decision in which two equal answers agree. */
export function decisionPayload(decision: Decision): string {
  const { action, mode, input, result, reason } = decision
  const scope = goesBeyond(decision) ? decision.scope : undefined
  return canonicalJson({ action, ...defined({ mode, input, result, reason, scope }) })
}
