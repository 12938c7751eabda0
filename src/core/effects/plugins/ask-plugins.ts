import { suspensionHead } from '../../domain/call-plan.ts'
import { callOf, type CallRecord, previewOf, type StateChange } from '../../domain/call.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { Write } from '../../domain/log.ts'
import type { Suspension, SuspensionTicket } from '../../domain/suspension.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { GateAnswer, Plugin } from '../../ports/plugin.ts'
import type { Tool, ToolReturn } from '../../ports/tool.ts'
import { askPlugin, listening } from '../ask-code.ts'
import { definitionHash } from '../permissions/definition-hash.ts'
import type { PluginSayings, Saying } from '../permissions/judge-call.ts'
import { callContext, patchInto, stateWrites } from './plugin-context.ts'
import { checkedTicket } from './plain-input.ts'
import { askOnToolValue, askOnToolResult } from './ask-on-tool-value.ts'
import { errorResult, textOfResult, toResultMessage, toToolResult } from '../tools/tool-result.ts'

/** The plugins' verdicts at a gate, and their writes. */
export interface AskedPlugins {
  readonly says: PluginSayings
  readonly writes: readonly Write[]
}

type Said = ReturnType<Saying>

/** The answer of a plugin, by the field that is present. */
interface Answer {
  readonly block?: string
  readonly result?: ToolReturn
  readonly suspend?: SuspensionTicket
  readonly evenIfApproved?: boolean
}

/** Asks every plugin before a call executes. The judge of the call decides which answers count. */
export async function askPlugins(
  { plugins, pluginTimeoutMs, tools }: Pick<AgentParts, 'plugins' | 'pluginTimeoutMs' | 'tools'>,
  callId: string,
  decision: StoredDecision | undefined,
  context: EffectContext,
): Promise<AskedPlugins> {
  const changes: StateChange[] = []
  const answers: { plugin: string; answer: Answer }[] = []
  for (const plugin of listening(plugins, 'gateCall')) {
    const bounds = { ...context, pluginTimeoutMs }
    const answer = await askPlugin(plugin, 'gateCall', bounds, async ({ whileAsked, signal }) => {
      const given = callContext(callId, decision, { ...context, signal })
      return checkedAnswer(await plugin.gateCall?.({ ...given, patch: patchInto(changes, whileAsked) }))
    })
    if (answer) answers.push({ plugin: plugin.name, answer })
  }
  const call = callOf(context.view, callId)
  const says = (key: string) => answers.some(({ answer }) => key in answer)
  const first = (key: string) => firstOf(answers, key, callId, context)
  // An approval answers a plugin's question, unless the plugin insists.
  const question = answers.find(({ answer }) => 'suspend' in answer)?.answer
  const isAsking = question !== undefined && (decision === undefined || question.evenIfApproved === true)
  const tool = isAsking ? (await tools.inRound(context.view)).get(call.toolName) : undefined
  return {
    writes: stateWrites(changes),
    says: {
      ...(says('block') ? { block: () => refused(plugins, call, first('block')?.block ?? '') } : {}),
      ...(says('result') ? { result: () => answered(plugins, call, first('result')?.result, context) } : {}),
      ...(isAsking ? { suspend: () => suspended(plugins, call, tool, first('suspend')?.suspend ?? {}, context) } : {}),
    },
  }
}

function checkedAnswer(answer: GateAnswer): Answer | undefined {
  if (!answer) return undefined
  const isAnswer = typeof answer === 'object' && ('block' in answer || 'result' in answer || 'suspend' in answer)
  if (!isAnswer || ('block' in answer && typeof answer.block !== 'string')) {
    throw new TypeError('The answer is invalid. Expected { block: text }, { result }, { suspend } or nothing.')
  }
  return 'suspend' in answer ? { ...answer, suspend: checkedTicket(answer.suspend) } : answer
}

/** The first of two plugins at one rank wins; the conflict is an event. */
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

/** The text becomes the call's result and has its limits. */
function refused(plugins: readonly Plugin[], call: CallRecord, block: string): Said {
  const { problem } = copyJson(block)
  const given = problem === undefined ? block : `[Not executed: a plugin blocked this call. Its reason ${problem}.]`
  const text = textOfResult(askOnToolValue(plugins, call, 'error', errorResult(given)))
  return { verdict: { kind: 'refused', text }, writes: [] }
}

function answered(plugins: readonly Plugin[], call: CallRecord, returned: ToolReturn, { clock }: EffectContext): Said {
  const taken = askOnToolResult(plugins, call, toToolResult(call.toolName, returned))
  const result = toResultMessage(call, taken, clock.now())
  return {
    verdict: { kind: 'supplied', status: result.isError ? 'failed' : 'succeeded' },
    writes: [{ kind: 'call', callId: call.callId, patch: { result } }],
  }
}

function suspended(
  plugins: readonly Plugin[],
  call: CallRecord,
  tool: Tool | undefined,
  ticket: SuspensionTicket,
  { ids }: EffectContext,
): Said {
  const suspension: Suspension = {
    reason: 'plugin',
    ...previewOf(call),
    ...askOnToolValue(plugins, call, 'question', ticket),
    id: ids.next('sus'),
    ...(tool === undefined ? {} : { definition: definitionHash(tool) }),
  }
  return {
    verdict: { kind: 'suspended', suspension: suspensionHead(suspension) },
    writes: [{ kind: 'call', callId: call.callId, patch: { suspension } }],
  }
}
