import type { ResumeMode, ToolEffects } from './call.ts'
import type { ToolErrorCode } from './message.ts'
import type { Suspension, SuspensionReason } from './suspension.ts'

/** The part of a suspension that a chart decides by; the call's record holds the whole suspension. */
export interface SuspensionHead {
  readonly id: string
  readonly reason: SuspensionReason
  /** Unix milliseconds. */
  readonly expiresAt?: number
  readonly message?: string
}

/** What a chart is told of a suspension; the call's record holds the rest. */
export function suspensionHead({ id, reason, expiresAt }: Suspension): SuspensionHead {
  return { id, reason, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

/** What the gate says of one call. `gated` once a plugin gate has spoken. */
export type Verdict =
  /** `isGranted` where a grant stands for an approval: the call gate looks whether it still does. */
  | { readonly kind: 'allowed'; readonly isGranted?: boolean; readonly gated?: boolean }
  | { readonly kind: 'suspended'; readonly suspension: SuspensionHead; readonly gated?: boolean }
  /**
   * Refused. The text is the result; it is absent where the record already holds it. `isRequested` where its permission is
   * to be asked for.
   */
  | {
      readonly kind: 'refused'
      readonly text?: string
      readonly code?: ToolErrorCode
      readonly isRequested?: boolean
      readonly gated?: boolean
    }
  /**
   * Left out before any gate, because its priority is lower. The text is its result, and no rule counts it as gated.
   */
  | { readonly kind: 'skipped'; readonly text: string; readonly gated?: boolean }
  /** A plugin or a decision supplied the result, which is in the record. */
  | { readonly kind: 'supplied'; readonly status: 'succeeded' | 'failed'; readonly gated?: boolean }

/** What the answer says of one call, with the verdict of the tool's look-up and of the check of its arguments. */
export interface CallPlan {
  readonly callId: string
  readonly verdict: Verdict
  readonly effects: ToolEffects
  readonly resumeMode: ResumeMode
  readonly isExclusive: boolean
  /** False where the tool's contract lets the run go on while the call is suspended. */
  readonly blocksRun: boolean
  /** Hash of name and arguments. */
  readonly callHash: string
  /** True for a suspension of the run itself, which a plugin asked for at its start. */
  readonly isHold?: boolean
}
