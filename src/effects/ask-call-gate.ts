import type { Verdict } from '../domain/call-plan.ts'
import { argumentsOf, callOf } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Write } from '../domain/log.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { AgentParts } from './agent-parts.ts'
import { askPlugins } from './ask-plugins.ts'
import { askHook } from './ask.ts'
import { authoriseAtGate } from './authorise.ts'
import { judgeCall } from './judge-call.ts'
import { sentCall } from './send-call.ts'

const skippedText = 'Tool execution skipped by the beforeToolExecution hook.'

/** Who may ask before a call executes: the plugins, and the user's hook where they let it pass. */
export type CallGateParts = Pick<AgentParts, 'name' | 'plugins' | 'hooks' | 'hookTimeoutMs' | 'tools' | 'permissions'>

/** What the call gate makes of a call, and what is written with that. */
export interface GateOutcome {
  readonly verdict: Verdict
  readonly writes: readonly Write[]
}

/** Asks the plugins, has the call judged, and asks the user's hook of a call that would execute. */
export async function askCallGate(
  parts: CallGateParts,
  callId: string,
  standing: Verdict,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<GateOutcome> {
  const { says, writes } = await askPlugins(parts, callId, decision, context)
  const call = callOf(context.view, callId)
  const tools = await parts.tools.inRound(context.view)
  const asked = { callId, name: call.toolName, arguments: argumentsOf(call, context.view) }
  const authorised = authoriseAtGate(parts, tools, asked, decision !== undefined, context)
  const judged = await judgeCall(
    { ...parts, tools },
    { ...asked, tool: tools.get(call.toolName), says, standing, ...(authorised === undefined ? {} : { authorised }) },
    context,
  )
  const isSkipped = judged.verdict.kind === 'allowed' && !(await mayExecute(parts, callId, context))
  const own: Verdict = isSkipped ? { kind: 'refused', text: skippedText } : judged.verdict
  const sent = sentCall(parts.name, tools.get(call.toolName), own, context)
  const sending: readonly Write[] =
    sent === undefined ? [] : [{ kind: 'call', callId, patch: { suspension: sent.suspension } }]
  return { verdict: { ...(sent?.verdict ?? own), gated: true }, writes: [...writes, ...judged.writes, ...sending] }
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
