import { callModel } from '../actors/call-model.ts'
import { gateCall } from '../actors/gate-call.ts'
import { gateReplay } from '../actors/gate-replay.ts'
import type { AgentParts } from '../actors/parts.ts'
import { reviewCall } from '../actors/review-call.ts'
import { runPhase } from '../actors/run-phase.ts'
import { runTool } from '../actors/run-tool.ts'
import { sleep } from '../actors/sleep.ts'
import type { Hand } from '../ports/hand.ts'

/** One hand for each actor name of the charts. */
export type Hands = { readonly [src: string]: Hand<never, unknown> }

/** The hands of one agent. */
export function handsOf(parts: AgentParts): Hands {
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
