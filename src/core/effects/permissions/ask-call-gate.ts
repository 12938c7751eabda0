import type { Verdict } from '../../domain/call-plan.ts'
import { argumentsOf, callOf, type CallRecord } from '../../domain/call.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Tool } from '../../ports/tool.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { ToolTable } from '../agent-tools.ts'
import { askPlugins } from '../plugins/ask-plugins.ts'
import { askToGoOn } from '../ask-code.ts'
import { callContext } from '../plugins/plugin-context.ts'
import { askPolicies } from './ask-policies.ts'
import { authoriseAtGate } from './authorise.ts'
import { definitionHash } from './definition-hash.ts'
import { judgeCall, type CallJudgement } from './judge-call.ts'
import { sentCall } from '../tools/send-call.ts'
import { askOnToolValue } from '../plugins/ask-on-tool-value.ts'
import { usesGrant } from './use-grant.ts'

const skippedText = 'Tool execution skipped by the beforeToolExecution hook.'

/** The dependencies of the call gate. */
export type CallGateParts = Pick<AgentParts, 'name' | 'plugins' | 'pluginTimeoutMs' | 'tools' | 'permissions'>

/** The call gate's verdict on a call, and its writes. */
export interface GateOutcome {
  readonly verdict: Verdict
  readonly writes: readonly Write[]
}

/** Asks the plugins at `gateCall`, judges the call, and asks the plugins at `beforeTool` if the call would execute. */
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
  const toolOf = (table: ToolTable) => table.get(call.toolName)
  const judge = (by: EffectContext, table: ToolTable) =>
    judgeCall(
      { ...parts, tools: table },
      {
        ...asked,
        tool: toolOf(table),
        says,
        standing,
        isAnswered: decision !== undefined,
        ...(authorised === undefined ? {} : { authorised }),
      },
      by,
    )
  const first = await judge(context, tools)
  const isSkipped = first.verdict.kind === 'allowed' && !(await mayExecute(parts, callId, decision, context))
  if (isSkipped)
    return { verdict: { kind: 'refused', text: skippedText, gated: true }, writes: [...writes, ...first.writes] }
  const isGone = !(await stands(parts, call, first, context))
  const judged = isGone ? await judge(withoutGrants(context), await parts.tools.inRound(context.view)) : first
  const guarded = await askPolicies(parts, callId, judged.verdict, decision, context)
  if (guarded.refusal !== undefined)
    return { verdict: { ...guarded.refusal, gated: true }, writes: [...writes, ...judged.writes] }
  const tool = toolOf(await parts.tools.inRound(context.view))
  const sent = sentCall(parts.name, tool?.service, judged.verdict, context)
  const question: readonly Write[] =
    sent === undefined
      ? await questionOf(parts, call, tool, judged, context)
      : [{ kind: 'call', callId, patch: { suspension: sent.suspension } }]
  const verdict = { ...(sent?.verdict ?? judged.verdict), gated: true }
  return { verdict, writes: [...writes, ...judged.writes, ...guarded.writes, ...question] }
}

/**
 * Returns true if the grants of a call are still valid: one may be revoked or used up by another call, and the tool may
 * have changed since the round began.
 */
async function stands(
  { plugins, tools }: CallGateParts,
  call: CallRecord,
  { verdict, grants = [] }: CallJudgement,
  context: EffectContext,
): Promise<boolean> {
  if (verdict.kind !== 'allowed' || grants.length === 0) return true
  const tool = await tools.asOfNow(call.toolName, context)
  if (tool === undefined) return false
  const definition = definitionHash(tool)
  for (const grant of grants)
    if (grant.definition !== definition || !(await usesGrant(plugins, call, grant, context))) return false
  return true
}

function withoutGrants({ grants: _, ...context }: EffectContext): EffectContext {
  return context
}

/** Writes the question of a rule or of the tool's needs with everything that the answering person has to see. */
async function questionOf(
  { plugins, pluginTimeoutMs }: CallGateParts,
  call: CallRecord,
  tool: Tool | undefined,
  { verdict, source, question }: CallJudgement,
  context: EffectContext,
): Promise<readonly Write[]> {
  if (verdict.kind !== 'suspended' || tool === undefined || (source !== 'rule' && source !== 'tool')) return []
  const preview =
    tool.preview === undefined
      ? undefined
      : await (
          await import('./preview-calls.ts')
        ).previewOf(tool, call.callId, argumentsOf(call, context.view), { ...context, pluginTimeoutMs })
  const shown = preview === undefined ? {} : askOnToolValue(plugins, call, 'question', { preview })
  const suspension = { ...verdict.suspension, ...question, ...shown, definition: definitionHash(tool) }
  return [{ kind: 'call', callId: call.callId, patch: { suspension } }]
}

function mayExecute(
  { plugins, pluginTimeoutMs }: CallGateParts,
  callId: string,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<boolean> {
  return askToGoOn(plugins, 'beforeTool', { ...context, pluginTimeoutMs }, (plugin, { signal }) =>
    plugin.beforeTool?.(callContext(callId, decision, { ...context, signal })),
  )
}
