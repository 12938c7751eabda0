import type { NewAuditEntry } from '../../domain/audit-entry.ts'
import { argumentsOf, type CallRecord } from '../../domain/call.ts'
import type { Grant } from '../../domain/grant.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import { shownArguments } from './shown-arguments.ts'

/**
 * Lets a call run by a grant; returns false if the grant was revoked or used up meanwhile. Called at the call gate,
 * before the commit that starts the call, with the call's own id: after a crash, the answer is the same.
 */
export async function usesGrant(
  plugins: readonly Plugin[],
  call: CallRecord,
  { id, scope, rule, by }: Pick<Grant, 'id' | 'scope' | 'rule' | 'by'>,
  { grants, runId, view }: EffectContext,
): Promise<boolean> {
  if (grants === undefined) return false
  const { callId, toolName } = call
  const entry: NewAuditEntry = {
    action: 'used',
    ...(by === undefined ? {} : { by }),
    runId,
    callId,
    toolName,
    ...shownArguments(plugins, call, argumentsOf(call, view)),
    scope,
    ...(rule === undefined ? {} : { rule }),
    grantId: id,
  }
  return grants.use(id, entry)
}

/**
 * Returns true if an approval is still valid: an approval of scope `once` is a grant, which may be revoked or used by
 * another call.
 */
export async function isStillGranted(
  plugins: readonly Plugin[],
  call: CallRecord,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<boolean> {
  const { grantId, scope, by } = decision ?? {}
  if (grantId === undefined || scope !== 'once' || context.grants === undefined) return true
  const rule = call.suspension?.rule
  return usesGrant(
    plugins,
    call,
    { id: grantId, scope, ...(rule === undefined ? {} : { rule }), ...(by === undefined ? {} : { by }) },
    context,
  )
}
