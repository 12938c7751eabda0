import { suspensionHead, type Verdict } from '../domain/call-plan.ts'
import { callOf, type CallRecord, previewOf, type StateChange } from '../domain/call.ts'
import { copyJson } from '../domain/json-copy.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Write } from '../domain/log.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { AgentParts } from './agent-parts.ts'
import type { GateAnswer, Plugin } from '../ports/plugin.ts'
import type { Tool, ToolReturn } from '../ports/tool.ts'
import { askPlugin } from './ask.ts'
import { definitionHash } from './definition-hash.ts'
import { callContext } from './plugin-context.ts'
import { checkedTicket } from './plain-input.ts'
import { takeIn, takeInResult } from './take-in.ts'
import { errorResult, textOfResult, toResultMessage, toToolResult } from './tool-result.ts'

/** What the plugins at a gate make of a call, and what they want written. */
export interface GateOutcome {
  readonly verdict: Verdict
  readonly writes: readonly Write[]
}

type Answer = Exclude<GateAnswer, undefined | void>

/** Asks every plugin before a call executes: block, then a set result, then the verdict, then suspend. */
export async function askPlugins(
  { plugins, hookTimeoutMs, tools }: Pick<AgentParts, 'plugins' | 'hookTimeoutMs' | 'tools'>,
  callId: string,
  verdict: Verdict,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<GateOutcome> {
  const changes: StateChange[] = []
  const answers: { plugin: string; answer: Answer }[] = []
  for (const plugin of plugins) {
    const bounds = { ...context, hookTimeoutMs }
    const answer = await askPlugin(plugin, 'beforeToolExecute', bounds, async ({ heard, signal }) => {
      const given = callContext(callId, decision, changes, { ...context, signal }, heard)
      return checkedAnswer(await plugin.beforeToolExecute?.(given))
    })
    if (answer) answers.push({ plugin: plugin.name, answer })
  }
  const writes: Write[] = changes.length === 0 ? [] : [{ kind: 'state', changes }]
  const first = (key: string) => firstOf(answers, key, callId, context)
  const block = first('block')
  const call = callOf(context.view, callId)
  if (block !== undefined && 'block' in block) return refused(plugins, call, block.block, writes)
  const result = first('result')
  if (result !== undefined && 'result' in result) return answered(plugins, call, result.result, writes, context)
  if (verdict.kind === 'refused') return { verdict: { ...verdict, gated: true }, writes }
  const suspend = first('suspend')
  if (suspend !== undefined && 'suspend' in suspend && (decision === undefined || suspend.evenIfApproved === true)) {
    const tool = (await tools.inRound(context.view)).get(call.toolName)
    return suspended(call, tool, takeIn(plugins, call, 'question', suspend.suspend), writes, context)
  }
  return { verdict: { ...verdict, gated: true }, writes }
}

function checkedAnswer(answer: GateAnswer): Answer | undefined {
  if (!answer) return undefined
  const isAnswer = typeof answer === 'object' && ('block' in answer || 'result' in answer || 'suspend' in answer)
  if (!isAnswer || ('block' in answer && typeof answer.block !== 'string')) {
    throw new TypeError('The answer is not readable. Expected { block: text }, { result }, { suspend } or nothing.')
  }
  return 'suspend' in answer ? { ...answer, suspend: checkedTicket(answer.suspend) } : answer
}

/** Two plugins at one rank: the first keeps it, the conflict is an event. */
function firstOf(
  answers: readonly { plugin: string; answer: Answer }[],
  key: string,
  callId: string,
  { emit, runId, clock }: EffectContext,
): Answer | undefined {
  const [kept, ...others] = answers.filter(({ answer }) => key in answer)
  for (const { plugin } of others) {
    emit({ type: 'plugin.conflict', runId, at: clock.now(), callId, kept: kept?.plugin ?? '', ignored: plugin })
  }
  return kept?.answer
}

/** The text becomes the call's result, and is bounded as one. */
function refused(plugins: readonly Plugin[], call: CallRecord, block: string, writes: readonly Write[]): GateOutcome {
  const { problem } = copyJson(block)
  const given = problem === undefined ? block : `[Not executed: a plugin blocked this call. Its reason ${problem}.]`
  const text = textOfResult(takeIn(plugins, call, 'error', errorResult(given)))
  return { verdict: { kind: 'refused', text, gated: true }, writes }
}

function answered(
  plugins: readonly Plugin[],
  call: CallRecord,
  returned: ToolReturn,
  writes: readonly Write[],
  { clock }: EffectContext,
): GateOutcome {
  const taken = takeInResult(plugins, call, toToolResult(call.toolName, returned))
  const result = toResultMessage(call, taken, clock.now())
  return {
    verdict: { kind: 'supplied', status: result.isError ? 'failed' : 'succeeded', gated: true },
    writes: [...writes, { kind: 'call', callId: call.callId, patch: { result } }],
  }
}

function suspended(
  call: CallRecord,
  tool: Tool | undefined,
  ticket: SuspensionTicket,
  writes: readonly Write[],
  { ids }: EffectContext,
): GateOutcome {
  const { callId } = call
  const suspension: Suspension = {
    reason: 'plugin',
    ...previewOf(call),
    ...ticket,
    id: ids.next('sus'),
    ...(tool === undefined ? {} : { definition: definitionHash(tool) }),
  }
  return {
    verdict: { kind: 'suspended', suspension: suspensionHead(suspension), gated: true },
    writes: [...writes, { kind: 'call', callId, patch: { suspension } }],
  }
}
