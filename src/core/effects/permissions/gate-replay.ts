import type { GateReplayInput, ReplayVerdict } from '../../../../machines/tool-call/tool-call.types.ts'
import { suspensionHead } from '../../domain/call-plan.ts'
import { argumentsOf, callOf, type CallRecord } from '../../domain/call.ts'
import { addedAmount, limitQuestion } from '../../domain/limit-hold.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { Json } from '../../domain/text/json.ts'
import type { Write } from '../../domain/log.ts'
import type { ToolErrorCode } from '../../domain/message.ts'
import type { Suspension, SuspensionReason } from '../../domain/suspension.ts'
import type { EffectHandler, EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import type { Tool } from '../../ports/tool.ts'
import { askCallGate } from './ask-call-gate.ts'
import type { AgentParts } from '../agent-parts.ts'
import { definitionHash } from './definition-hash.ts'
import { checkArguments } from './judge-call.ts'
import { seeingCall } from '../plugins/plugin-context.ts'
import { payloadProblem } from '../tools/payload-problem.ts'
import { askOnToolValue, askOnToolResult } from '../plugins/ask-on-tool-value.ts'
import { isStillGranted } from './use-grant.ts'
import { toResultMessage, toToolResult } from '../tools/tool-result.ts'

type Replay = EffectResult<ReplayVerdict>

/** The gate of a replay: reads the decision, processes its payload, and asks the plugins again. */
export function gateReplay(parts: AgentParts): EffectHandler<GateReplayInput, ReplayVerdict> {
  return {
    kind: 'local',
    perform: async (input, context) => {
      const call = callOf(context.view, input.callId)
      const decision = await decisionOf(input, context)
      const tool = (await parts.tools.inRound(context.view)).get(call.toolName)
      const mode = call.isHold === true ? 'use-as-result' : (decision?.mode ?? input.resumeMode)
      if (mode === 'use-as-result') {
        const problem = await payloadProblem(call, { ...decision, mode }, tool)
        if (problem === undefined) await addToAccount(call, decision, context)
        return problem === undefined
          ? useAsResult(parts, input, call, decision, context)
          : misfit(input, call, problem, context)
      }
      if (tool === undefined) {
        return refused(input, `Tool "${call.toolName}" is not registered any more.`, 'unknown_tool')
      }
      const changed = await changedTool(parts, call, context)
      const current = changed ?? tool
      const problem = await payloadProblem(call, { ...decision, mode }, current)
      const edit = mode === 'pass-to-tool' ? decision?.result : decision?.input
      const fitting = problem === undefined ? edit : undefined
      const invalid = fitting === undefined ? await invalidArguments(current, call, context) : undefined
      if (invalid !== undefined) return refused(input, invalid, 'bad_arguments')
      if (changed !== undefined) return await askedAgain(parts, input, call, { tool: changed, edit: fitting }, context)
      if (problem !== undefined) return misfit(input, call, problem, context)
      return replay(parts, input, call, edit, decision, context)
    },
  }
}

/** Returns why a call cannot run with its arguments. A call that was sent to its service runs there. */
async function invalidArguments(tool: Tool, call: CallRecord, context: EffectContext): Promise<string | undefined> {
  if (call.isSent === true) return undefined
  return (await checkArguments(tool, argumentsOf(call, context.view), context)).problem
}

function refused({ revision }: GateReplayInput, text: string, code: ToolErrorCode): Replay {
  return { output: { verdict: { kind: 'refused', text, code }, revision } }
}

/** Returns the decision from the inbox; in plain XState the event carries its payload. */
async function decisionOf({ decision }: GateReplayInput, context: EffectContext): Promise<StoredDecision | undefined> {
  if (decision === null) return undefined
  const { inboxId: _, ...head } = decision
  return (await context.decision(decision.decisionId)) ?? { ...head, target: head.callId, at: context.clock.now() }
}

/** Adds a person's amount to the family's account, once for each question. */
async function addToAccount(
  call: CallRecord,
  decision: StoredDecision | undefined,
  { account }: EffectContext,
): Promise<void> {
  const question = limitQuestion(call)
  const units = question && addedAmount(question, decision?.result)
  if (question === undefined || units === undefined || call.suspension === undefined) return
  await account?.add(call.suspension.id, question.limit, units)
}

function useAsResult(
  { plugins }: AgentParts,
  { revision }: GateReplayInput,
  call: CallRecord,
  decision: StoredDecision | undefined,
  { clock }: EffectContext,
): Replay {
  const given = toToolResult(call.toolName, decision?.result ?? null)
  // A hold belongs to the run, so it takes no result of a tool.
  const result = toResultMessage(
    call,
    call.isHold === true ? given : askOnToolResult(plugins, call, given),
    clock.now(),
  )
  return {
    output: { verdict: { kind: 'supplied', status: result.isError ? 'failed' : 'succeeded' }, revision },
    writes: [{ kind: 'call', callId: call.callId, patch: { result } }],
  }
}

async function replay(
  parts: AgentParts,
  input: GateReplayInput,
  call: CallRecord,
  edit: Json | undefined,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<Replay> {
  const { revision, writes } = taken(input, call, edit)
  // The gate judges the call as it would run, with the edit that is not written yet.
  const seen = edit === undefined ? context : seeingCall(context, { ...call, editedArguments: edit, revision })
  const plugins = parts.plugins.map((plugin) => askingAnew(plugin, call.suspension?.reason))
  const gate = await askCallGate({ ...parts, plugins }, call.callId, { kind: 'allowed' }, decision, seen)
  const runs = gate.verdict.kind === 'allowed'
  if (runs && !(await isStillGranted(parts.plugins, callOf(seen.view, call.callId), decision, seen))) {
    return suspendedAgain(input, call, takenBack, { ...call.suspension, message: takenBack }, context)
  }
  return { output: { verdict: gate.verdict, revision }, writes: [...writes, ...gate.writes] }
}

/** Returns the revision of the arguments after an edit, and the writes of the edit. */
function taken({ revision }: GateReplayInput, { callId }: CallRecord, edit: Json | undefined) {
  if (edit === undefined) return { revision, writes: [] }
  const patch = { editedArguments: edit, revision: revision + 1 }
  return { revision: revision + 1, writes: [{ kind: 'call' as const, callId, patch }] }
}

const takenBack = 'The one-time approval of this call was revoked, or used by an equal call. Decide again.'

/** The reasons of a gate's suspensions: the decision that answers one is its approval. */
const gateReasons: readonly (SuspensionReason | undefined)[] = ['approval', 'permission', 'plugin']

/** A decision that answers another question, of the tool or after a crash, does not answer the gate. */
function askingAnew(plugin: Plugin, answered: SuspensionReason | undefined): Plugin {
  if (plugin.gateCall === undefined) return plugin
  return {
    name: plugin.name,
    ...(plugin.onToolValue === undefined ? {} : { onToolValue: plugin.onToolValue.bind(plugin) }),
    ...(plugin.beforeTool === undefined ? {} : { beforeTool: plugin.beforeTool.bind(plugin) }),
    gateCall: async (context) => {
      const answer = await plugin.gateCall?.(context)
      if (!answer || !('suspend' in answer)) return answer
      const isAnswered = gateReasons.includes(answered) || answer.suspend.reason === answered
      return isAnswered ? answer : { ...answer, evenIfApproved: true }
    },
  }
}

/**
 * Returns the current tool if its definition differs from the one that was shown. A call without a shown definition is
 * not asked again.
 */
async function changedTool(
  { tools }: AgentParts,
  { suspension, toolName }: CallRecord,
  context: EffectContext,
): Promise<Tool | undefined> {
  if (suspension?.definition === undefined) return undefined
  const tool = await tools.asOfNow(toolName, context)
  return tool === undefined || definitionHash(tool) === suspension.definition ? undefined : tool
}

/**
 * Asks about a call again, because the person approved another tool. The question shows the current definition and the
 * person's edit.
 */
async function askedAgain(
  { plugins, pluginTimeoutMs }: AgentParts,
  input: GateReplayInput,
  call: CallRecord,
  { tool, edit }: { readonly tool: Tool; readonly edit: Json | undefined },
  context: EffectContext,
): Promise<Replay> {
  const message = `The definition of tool "${tool.name}" (its description, arguments or annotations) has changed since this call was shown. Check it again: an approval applies only to what was shown.`
  const { preview: _, ...shown } = call.suspension ?? {}
  const given = edit ?? argumentsOf(call, context.view)
  const { previewOf } = await import('./preview-calls.ts')
  const preview = await previewOf(tool, call.callId, given, { ...context, pluginTimeoutMs })
  const question = preview === undefined ? {} : askOnToolValue(plugins, call, 'question', { preview })
  const { revision, writes } = taken(input, call, edit)
  const asked = { ...shown, ...question, message, definition: definitionHash(tool) }
  const again = suspendedAgain({ ...input, revision }, call, message, asked, context)
  return { ...again, writes: [...writes, ...again.writes] }
}

/** Drops a decision that does not fit, with an event, and suspends the call again under a new id. */
function misfit(input: GateReplayInput, call: CallRecord, issues: string, context: EffectContext): Replay {
  const message = `The decision for call "${call.callId}" does not fit and was dropped:\n${issues}`
  return suspendedAgain(input, call, message, { ...call.suspension }, context)
}

function suspendedAgain(
  { revision }: GateReplayInput,
  call: CallRecord,
  message: string,
  shown: Partial<Suspension>,
  { ids, emit, runId, clock }: EffectContext,
): Replay & { readonly writes: readonly Write[] } {
  emit({ type: 'decision.dropped', runId, at: clock.now(), callId: call.callId, message })
  const suspension: Suspension = { reason: 'approval', ...shown, id: ids.next('sus') }
  return {
    output: { verdict: { kind: 'suspended', suspension: suspensionHead(suspension) }, revision },
    writes: [{ kind: 'call', callId: call.callId, patch: { suspension } }],
  }
}
