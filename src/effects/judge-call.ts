import type { Verdict } from '../domain/call-plan.ts'
import type { Json } from '../domain/json.ts'
import type { Write } from '../domain/log.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { Tool } from '../ports/tool.ts'
import { ask, type AskBounds } from './ask.ts'
import type { ToolTable } from './agent-tools.ts'
import type { AgentParts } from './agent-parts.ts'
import { checkValue } from './check-value.ts'

/** Who said what becomes of a call; `nobody` where nothing was said against it. */
export type VerdictSource = 'answer' | 'plugin' | 'registry' | 'arguments' | 'tool' | 'earlier' | 'nobody'

/** What becomes of a call, by whose word, and what is written with that. */
export interface Judgement {
  readonly verdict: Verdict
  readonly source: VerdictSource
  readonly writes: readonly Write[]
}

/** What one side makes of a call; it is asked for only where it counts. */
export type Saying = () => Pick<Judgement, 'verdict' | 'writes'>

/** What the plugins say of a call. */
export interface PluginSayings {
  readonly block?: Saying
  readonly result?: Saying
  /** Absent too where a decision has answered it. */
  readonly suspend?: Saying
}

/** A call as it is judged: as the model asked for it, or as a person has changed it. */
export interface JudgedCall {
  readonly name: string
  readonly arguments: Json
  readonly truncated?: boolean
  readonly malformed?: string
  /** Undefined for one that does not exist, or was not offered. */
  readonly tool: Tool | undefined
  /** Absent where no plugin has been asked. */
  readonly says?: PluginSayings
  /** What was said of it before, by the plan or by a person: its arguments and its needs are not looked at again. */
  readonly standing?: Verdict
}

/** What a call is judged by. */
export interface JudgeParts extends Pick<AgentParts, 'hookTimeoutMs'> {
  /** Those the model was offered. */
  readonly tools: ToolTable
  /** Those there are besides; a call of one fails. */
  readonly unoffered?: ToolTable
}

type JudgeContext = Pick<EffectContext, 'ids' | 'clock' | 'signal'>

/**
 * The one judge of a call. The plan asks it of a new call, the call gate once plugins have spoken, and the gate of a replay
 * again. In this order: a plugin's block, its result, a cut answer, an unknown tool, bad arguments, the tool's needs, a
 * plugin's question. So nobody is asked about a call that could not run.
 */
export async function judgeCall(parts: JudgeParts, call: JudgedCall, context: JudgeContext): Promise<Judgement> {
  const { block, result, suspend } = call.says ?? {}
  if (block !== undefined) return { ...block(), source: 'plugin' }
  if (result !== undefined) return { ...result(), source: 'plugin' }
  const own = call.standing === undefined ? await judgeNew(parts, call, context) : by('earlier', call.standing)
  if (suspend === undefined || own.verdict.kind === 'refused') return own
  return { ...suspend(), source: 'plugin' }
}

function by(source: VerdictSource, verdict: Verdict): Judgement {
  return { verdict, source, writes: [] }
}

async function judgeNew(parts: JudgeParts, call: JudgedCall, context: JudgeContext): Promise<Judgement> {
  const { tool } = call
  if (call.truncated === true) {
    return by('answer', { kind: 'refused', text: '[Not executed: the answer was cut off at the token limit.]' })
  }
  if (tool === undefined) return by('registry', unknownTool(parts, call))
  if (call.malformed !== undefined) {
    const text = `The arguments for "${tool.name}" could not be read: ${call.malformed}`
    return by('arguments', { kind: 'refused', text, code: 'bad_arguments' })
  }
  const checked = await checkValue(tool.input, call.arguments)
  if (checked.issues !== undefined) {
    const text = `Invalid arguments for "${tool.name}":\n${checked.issues}`
    return by('arguments', { kind: 'refused', text, code: 'bad_arguments' })
  }
  const { ids, clock, signal } = context
  if (await needsApproval(tool, checked.value, { clock, signal, hookTimeoutMs: parts.hookTimeoutMs })) {
    return by('tool', { kind: 'suspended', suspension: { id: ids.next('sus'), reason: 'approval' } })
  }
  return by('nobody', { kind: 'allowed' })
}

function unknownTool({ tools, unoffered }: JudgeParts, { name }: JudgedCall): Verdict {
  const known = [...tools.keys()].join(', ') || 'none'
  const what = unoffered?.has(name) === true ? 'is not offered in this step' : 'does not exist'
  return { kind: 'refused', text: `Tool "${name}" ${what}. Available tools: ${known}.`, code: 'unknown_tool' }
}

/** A rule that throws, or does not answer in time, asks: fail closed. */
async function needsApproval({ name, needs }: Tool, input: unknown, bounds: AskBounds): Promise<boolean> {
  if (needs === undefined) return false
  if (needs === 'approval') return true
  try {
    return (await ask(`Rule "needs" of tool "${name}" failed`, bounds, () => needs(input as never))) !== false
  } catch {
    return true
  }
}
