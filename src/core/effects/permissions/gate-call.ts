import type { Verdict } from '../../domain/call-plan.ts'
import type { GateCallInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import { askCallGate } from './ask-call-gate.ts'
import type { AgentParts } from '../agent-parts.ts'

/** Asks at `gateCall` and `beforeTool` about a call that is about to start. */
export async function gateCall(
  parts: AgentParts,
  { callId, verdict }: GateCallInput,
  context: EffectContext,
): Promise<EffectResult<Verdict>> {
  const outcome = await askCallGate(parts, callId, verdict, undefined, context)
  return { output: outcome.verdict, writes: outcome.writes }
}
