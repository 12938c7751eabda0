import type { StoredDecision } from '../../domain/inbox.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import { isPolicyGuard } from '../../ports/policy-guard.ts'
import type { AskedCall } from './open-call.ts'
import { type Saying, would } from './saying.ts'

/**
 * Returns a forecast if a policy over the order of calls would refuse a call. Calls of one run are judged one after
 * another.
 */
export async function brokenPolicy(
  { permissions, tools }: OwnParts,
  { call: { callId, toolName, suspension }, run: { details, log, now } }: AskedCall,
  decided: StoredDecision | undefined,
  isApproved: boolean,
): Promise<Saying | undefined> {
  const policies = permissions?.policies
  if (!isPolicyGuard(policies)) return undefined
  const given = { target: callId, callId, suspensionId: suspension?.id ?? null, decisionId: '', at: now }
  const decision = decided ?? (isApproved ? { ...given, action: 'resume' as const } : undefined)
  const fieldsOf = async (name: string) => (tools.known ?? tools.own).get(name)?.ruleFields
  const judged = await policies.judge(callId, decision, { run: details, view: log, fieldsOf })
  if (!('broken' in judged)) return undefined
  const isOpen = decided === undefined && judged.broken.includes('approvedBy(')
  const unless = isOpen ? ', unless the right person approves' : ''
  return would(`A call of "${toolName}" would be refused, because of the policy ${judged.broken}${unless}.`)
}
