import type { StoredDecision } from '../domain/inbox.ts'
import type { FoldedRun } from '../domain/policies/policy-fold.ts'
import type { PolicyMark } from '../domain/policies/policy-mark.ts'
import type { RunDetails } from '../domain/run-details.ts'

/** Parsed policies, as `policies()` of `statewright/plugins` returns them. */
export interface Policies {
  /** The policies as they were written. */
  readonly texts: readonly string[]
}

/** A run as policies see it. */
export interface GuardedRun extends FoldedRun {
  /** The same object for all of one process's questions about the run. */
  readonly run: RunDetails
}

/** The judge of policies while a run is driven. */
export interface PolicyGuard extends Policies {
  /** Returns the text of a policy that a call would break by running, or what its record must hold if it runs. */
  judge(
    callId: string,
    decision: StoredDecision | undefined,
    run: GuardedRun,
  ): Promise<{ readonly broken: string } | { readonly mark: PolicyMark }>
  /** Returns the policies that an ended run has broken, each with a sentence about it. */
  broken(run: GuardedRun): Promise<readonly { readonly policy: string; readonly message: string }[]>
}

/** Returns true for policies that `policies()` has created. */
export function isPolicyGuard(policies: Policies | undefined): policies is PolicyGuard {
  return policies !== undefined && 'judge' in policies && 'broken' in policies
}
