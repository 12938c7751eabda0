import type { Verdict } from '../../domain/call-plan.ts'
import type { GateCallInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { EffectHandler } from '../../ports/effect-handler.ts'
import { askCallGate } from './ask-call-gate.ts'
import type { AgentParts } from '../agent-parts.ts'

/** Asks at `gateCall` and `beforeTool` about a call that is about to start. */
export function gateCall(parts: AgentParts): EffectHandler<GateCallInput, Verdict> {
  return {
    kind: 'local',
    perform: async ({ callId, verdict }, context) => {
      const outcome = await askCallGate(parts, callId, verdict, undefined, context)
      return { output: outcome.verdict, writes: outcome.writes }
    },
  }
}
