import type { Verdict } from '../../domain/call-plan.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import { type GuardedRun, isPolicyGuard } from '../../ports/policy-guard.ts'
import type { AgentParts } from '../agent-parts.ts'

/** Returns a refusal for a permitted call that would break a policy, or else the writes at the call's start. */
export async function askPolicies(
  parts: Pick<AgentParts, 'tools' | 'permissions'>,
  callId: string,
  verdict: Verdict,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<{ readonly refusal?: Verdict; readonly writes: readonly Write[] }> {
  const policies = parts.permissions?.policies
  const isSent = verdict.kind === 'suspended' && verdict.suspension.reason === 'service'
  if ((verdict.kind !== 'allowed' && !isSent) || !isPolicyGuard(policies)) return { writes: [] }
  const judged = await policies.judge(callId, decision, guardedRun(parts, context))
  if ('mark' in judged) return { writes: [{ kind: 'call', callId, patch: { policies: judged.mark } }] }
  const text = `[Not executed: the policy ${judged.broken} forbids this call.]`
  return { refusal: { kind: 'refused', text }, writes: [] }
}

/** Returns a run as policies see it. */
export function guardedRun({ tools }: Pick<AgentParts, 'tools'>, { run, view }: EffectContext): GuardedRun {
  return { run, view, fieldsOf: async (toolName) => (await tools.inRound(view)).get(toolName)?.ruleFields }
}
