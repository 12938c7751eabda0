import { callModel } from '../effects/call-model.ts'
import { gateCall } from '../effects/gate-call.ts'
import { gateReplay } from '../effects/gate-replay.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import { reviewCall } from '../effects/review-call.ts'
import { runPhase } from '../effects/run-phase.ts'
import { runTool } from '../effects/run-tool.ts'
import { sleep } from '../effects/sleep.ts'
import type { EffectHandlers } from '../ports/effect-handler.ts'

/** The effect handlers of one agent. */
export function effectHandlers(parts: AgentParts): EffectHandlers {
  return {
    callModel: callModel(parts),
    gateCall: gateCall(parts),
    runTool: runTool(parts),
    gateReplay: gateReplay(parts),
    reviewCall: reviewCall(parts),
    runPhase: runPhase(parts),
    sleep,
  }
}
