import type { Verdict } from '../domain/call-plan.ts'
import { argumentsOf, callOf } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { AgentParts } from './agent-parts.ts'
import { askPlugins, type GateOutcome } from './ask-plugins.ts'
import { askHook } from './ask.ts'

const skippedText = 'Tool execution skipped by the beforeToolExecution hook.'

/** Who may ask before a call executes: the plugins, and the user's hook where they let it pass. */
export type CallGateParts = Pick<AgentParts, 'plugins' | 'hooks' | 'hookTimeoutMs' | 'tools'>

/** Asks the plugins, and of a call that would execute the user's hook. */
export async function askCallGate(
  parts: CallGateParts,
  callId: string,
  verdict: Verdict,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<GateOutcome> {
  const outcome = await askPlugins(parts, callId, verdict, decision, context)
  if (outcome.verdict.kind !== 'allowed' || (await mayExecute(parts, callId, context))) return outcome
  return { ...outcome, verdict: { kind: 'refused', text: skippedText, gated: true } }
}

async function mayExecute(
  { hooks, hookTimeoutMs }: CallGateParts,
  callId: string,
  context: EffectContext,
): Promise<boolean> {
  if (hooks?.beforeToolExecution === undefined) return true
  const call = callOf(context.view, callId)
  const args = structuredClone(argumentsOf(call, context.view))
  return askHook(hooks, 'beforeToolExecution', { ...context, hookTimeoutMs }, call.toolName, callId, args)
}
