import type { AccountLimit } from './account.ts'
import type { ResumeMode, ToolEffects } from './call.ts'
import type { ToolErrorCode } from './message.ts'
import type { Suspension } from './suspension.ts'

/** The part of a suspension that the charts read; the call's record has the whole suspension. */
export interface SuspensionHead extends Pick<Suspension, 'id' | 'reason' | 'expiresAt' | 'message'> {
  /** The limit that a hold of the run is about. */
  readonly limit?: AccountLimit
}

/** Returns the part of a suspension that the charts read. */
export function suspensionHead({ id, reason, expiresAt }: Suspension): SuspensionHead {
  return { id, reason, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

/** The verdict of the gate on one call. `gated` is true after a plugin's gate has decided. */
export type Verdict =
  /** `isGranted` is true if a grant replaces an approval; the call gate checks that the grant is still valid. */
  | { readonly kind: 'allowed'; readonly isGranted?: boolean; readonly gated?: boolean }
  | { readonly kind: 'suspended'; readonly suspension: SuspensionHead; readonly gated?: boolean }
  /**
   * The call is refused. The text is the result; it is absent if the record already has the result. `isRequested` is
   * true if the permission will be requested.
   */
  | {
      readonly kind: 'refused'
      readonly text?: string
      readonly code?: ToolErrorCode
      readonly isRequested?: boolean
      readonly gated?: boolean
    }
  /** The call is skipped before any gate because of its priority. The text is its result; it counts as not gated. */
  | { readonly kind: 'skipped'; readonly text: string; readonly gated?: boolean }
  /** A plugin or a decision supplied the result, which is in the record. */
  | { readonly kind: 'supplied'; readonly status: 'succeeded' | 'failed'; readonly gated?: boolean }

/** The plan for one call of an answer, with the verdict of the tool's lookup and of the check of its arguments. */
export interface CallPlan {
  readonly callId: string
  readonly verdict: Verdict
  readonly effects: ToolEffects
  readonly resumeMode: ResumeMode
  readonly isExclusive: boolean
  /** False if the tool's contract lets the run continue while the call is suspended. */
  readonly blocksRun: boolean
  /** Hash of the name and the arguments. */
  readonly callHash: string
  /** True for a hold that a plugin requested at the run's start. */
  readonly isHold?: boolean
}
