import type { HoldRunInput, PhaseVerdict } from '../../../machines/run/run.types.ts'
import { type CallPlan, suspensionHead } from '../domain/call-plan.ts'
import type { Write } from '../domain/log.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import type { EffectContext, EffectHandler } from '../ports/effect-handler.ts'

/** Makes a suspension of the run itself: a slot that no message asks for, and that no transcript shows. */
export function holdFor(
  owner: string,
  ticket: SuspensionTicket & Pick<Suspension, 'sends'>,
  { ids }: Pick<EffectContext, 'ids'>,
): { readonly write: Write; readonly plan: CallPlan } {
  const callId = `0.${ids.next('hold')}`
  const suspension: Suspension = { reason: 'plugin', ...ticket, id: ids.next('sus') }
  const resumeMode = 'use-as-result' as const
  const call = { callId, toolCallId: callId, toolName: owner, revision: 0, resumeMode, isHold: true, suspension }
  const verdict = { kind: 'suspended' as const, suspension: suspensionHead(suspension) }
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

/** Holds a run whose models cannot be reached, until somebody has them asked again. */
export const holdRun: EffectHandler<HoldRunInput, PhaseVerdict> = {
  kind: 'local',
  perform: async ({ error }, context) => {
    const { write, plan } = holdFor('model', { reason: 'model_unavailable', message: error.message }, context)
    return { output: { holds: [plan], at: context.clock.now() }, writes: [write] }
  },
}
