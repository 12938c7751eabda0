import type { AskVerdict, RunAsk } from '../../../../machines/run/run.asks.ts'
import type { CallAsk, GateCallInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { Verdict } from '../../domain/call-plan.ts'
import type { EffectHandler, EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import { buildContext } from '../model/build-context.ts'
import { filterInput } from './filter-input.ts'
import { recall } from './recall.ts'
import { reviewCall } from './review-call.ts'
import { runPhase } from './run-phase.ts'
import { askCallGate } from '../permissions/ask-call-gate.ts'

/** A question to plugins, and the verdict that its chart receives. */
export type Ask = [RunAsk | CallAsk, AskVerdict | Verdict | undefined]

/** Asks the plugins at a chart's phase. */
export function askPhase(parts: AgentParts): EffectHandler<Ask[0], Ask[1]> {
  return {
    kind: 'local',
    perform: (asked, context) => {
      if (asked.phase === 'filterInput') return filterInput(parts, asked, context)
      if (asked.phase === 'recall') return recall(parts, asked, context)
      if (asked.phase === 'buildContext') return buildContext(parts, asked, context)
      if (asked.phase === 'gateCall') return gateCall(parts, asked, context)
      if (asked.phase === 'reviewCall') return reviewCall(parts, asked, context)
      return runPhase(parts, asked, context)
    },
  }
}

/** Asks at `gateCall` and `beforeTool` about a call that is about to start. */
async function gateCall(
  parts: AgentParts,
  { callId, verdict }: GateCallInput,
  context: EffectContext,
): Promise<EffectResult<Verdict>> {
  const outcome = await askCallGate(parts, callId, verdict, undefined, context)
  return { output: outcome.verdict, writes: outcome.writes }
}
