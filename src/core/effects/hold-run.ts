import type { HoldRunInput, PhaseVerdict } from '../../../machines/run/run.types.ts'
import { type CallPlan, type SuspensionHead, suspensionHead } from '../domain/call-plan.ts'
import { isAccountLimit, limitTicket } from '../domain/limit-hold.ts'
import type { Write } from '../domain/log.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import { defined } from '../domain/text/json.ts'
import type { EffectContext, EffectHandler } from '../ports/effect-handler.ts'

/** Creates a suspension of the run itself: a slot without a message, which no transcript shows. */
export function holdFor(
  owner: string,
  { limit, ...ticket }: SuspensionTicket & Pick<Suspension, 'sends'> & Pick<SuspensionHead, 'limit'>,
  { ids }: Pick<EffectContext, 'ids'>,
): { readonly write: Write; readonly plan: CallPlan } {
  const callId = `0.${ids.next('hold')}`
  const suspension: Suspension = { reason: 'plugin', ...ticket, id: ids.next('sus') }
  const resumeMode = 'use-as-result' as const
  const call = { callId, toolCallId: callId, toolName: owner, revision: 0, resumeMode, isHold: true, suspension }
  const verdict = { kind: 'suspended' as const, suspension: { ...suspensionHead(suspension), ...defined({ limit }) } }
  return {
    write: { kind: 'reserve', call },
    plan: {
      callId,
      verdict,
      effects: 'none',
      resumeMode,
      isExclusive: false,
      blocksRun: true,
      callHash: callId,
      isHold: true,
    },
  }
}

/**
 * Holds a run until somebody has its models asked again, because they cannot be reached, or until somebody adds to its
 * account, because the account has too little left.
 */
export const holdRun: EffectHandler<HoldRunInput, PhaseVerdict> = {
  kind: 'local',
  perform: async ({ error }, context) => {
    const { account } = context
    const ticket =
      account !== undefined && isAccountLimit(error.code)
        ? limitTicket(account.root, error.code)
        : { reason: 'model_unavailable' as const, message: error.message }
    const { write, plan } = holdFor('model', ticket, context)
    return { output: { holds: [plan], at: context.clock.now() }, writes: [write] }
  },
}
