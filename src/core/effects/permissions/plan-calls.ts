import type { CallPlan } from '../../domain/call-plan.ts'
import type { CallRecord } from '../../domain/call.ts'
import { canonicalJson, hashText } from '../../domain/text/json.ts'
import { type AssistantMessage, type ToolCallContent, toolCallsOf } from '../../domain/message.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import { definitionHash } from './definition-hash.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { Authorisations, Authorise } from './authorise.ts'
import { type SentCall, sentCall } from '../tools/send-call.ts'
import { judgeCall, type CallJudgement, type JudgeParts, lookAt } from './judge-call.ts'

/** A processed answer: the message as it will be stored, and the plan of each of its calls. */
export interface PlannedAnswer {
  readonly message: AssistantMessage
  /** The plans of the first `maxCallsPerTurn` calls; no chart receives the others. */
  readonly plans: readonly CallPlan[]
  /** The records of all calls. */
  readonly records: readonly Omit<CallRecord, 'seq' | 'messageSeq' | 'status'>[]
  /** True if a call needs approval. */
  readonly isAsking: boolean
  /** Names of calls with lower priority, removed from the message. */
  readonly dropped: readonly string[]
  /** The answers to calls beyond `maxCallsPerTurn`, which have only a record and a result. */
  readonly unrun: readonly UnrunCall[]
}

/** A call that is answered without running. */
export interface UnrunCall {
  readonly callId: string
  readonly text: string
}

/** The dependencies of a plan. */
export interface PlanParts extends JudgeParts, Pick<AgentParts, 'name' | 'models' | 'maxCallsPerTurn'> {}

type PlanContext = Pick<EffectContext, 'ids' | 'clock' | 'signal' | 'run' | 'grants'>

/** The origin of an answer. */
export interface AnswerSource {
  /** The turn in the ids of its calls, counted on from the continued run. */
  readonly turn: number
  /** True for the call without tools that a limit allows. */
  readonly isFinishing: boolean
  readonly modelIndex: number
}

function tooManyText(most: number): string {
  return `[Not executed: an answer may hold at most ${most} calls.]`
}

const outrankedText = '[Not executed: a call of higher priority came first. Ask again if still needed.]'

/**
 * Names and judges the calls of an answer. Calls with lower priority are removed, or answered without running if the
 * model's wire binds calls to reasoning (AGT-15). Calls beyond `maxCallsPerTurn` are not planned, because a model may
 * request any number, and each call makes the settling of the others more expensive.
 */
export async function planCalls(
  parts: PlanParts,
  { turn, isFinishing, modelIndex }: AnswerSource,
  answer: AssistantMessage,
  context: PlanContext,
): Promise<PlannedAnswer> {
  const named = isFinishing ? withoutCalls(answer) : nameCalls(answer, turn)
  const isOutranked = outranked(parts, named)
  const isBound = parts.models[modelIndex]?.bindsCallsToReasoning === true
  const isWhole = isBound || isOutranked === noCall
  const { message, dropped } = isWhole ? { message: named, dropped: [] } : withoutOutranked(named, isOutranked)
  const calls = toolCallsOf(message)
  const most = parts.maxCallsPerTurn
  const running = calls.slice(0, most)
  const authorised =
    parts.authorise &&
    authorisedRound(
      parts,
      parts.authorise,
      running.filter((call) => !isOutranked(call)),
      context,
    )
  const plans: CallPlan[] = []
  const judgements: (CallJudgement & Partial<SentCall>)[] = []
  for (const call of running) {
    const own = isOutranked(call) ? outrankedJudgement : await judgePlanned(parts, call, authorised, context)
    const service = parts.tools.get(call.name)?.service
    const judged = service === undefined ? own : { ...own, ...sentCall(parts.name, service, own.verdict, context) }
    judgements.push(judged)
    plans.push(planOf(parts, call, judged))
  }
  const isAsking = judgements.some(
    ({ verdict, suspension }) => verdict.kind === 'suspended' && suspension === undefined,
  )
  const records = calls.map(({ id, callId = id, name }, index) => {
    const tool = parts.tools.get(name)
    const judged = judgements[index]
    const asked = judged?.verdict.kind === 'suspended' ? judged.verdict.suspension : undefined
    const isSent = judged?.suspension !== undefined
    const definition = tool === undefined || asked === undefined || isSent ? {} : { definition: definitionHash(tool) }
    // The question names the rule that asks, so that the answer may apply to other calls.
    const { question, suspension: sent } = judged ?? {}
    const isRuled = asked !== undefined && question !== undefined && sent === undefined
    return {
      callId,
      toolCallId: id,
      toolName: name,
      revision: 0,
      resumeMode: tool?.resume ?? ('replay' as const),
      ...(isRuled ? { suspension: { ...asked, ...question, ...definition } } : definition),
      ...(sent === undefined ? {} : { suspension: sent }),
    }
  })
  const unrun = records.slice(most).map(({ callId }) => ({ callId, text: tooManyText(most) }))
  return { message, plans, records, isAsking, dropped, unrun }
}

function withoutCalls(answer: AssistantMessage): AssistantMessage {
  return { ...answer, content: answer.content.filter((block) => block.type !== 'toolCall') }
}

/** Makes call ids of the turn and the provider's id, which may repeat even within one answer. */
function nameCalls(answer: AssistantMessage, turn: number): AssistantMessage {
  const seen = new Map<string, number>()
  const content = answer.content.map((block) => {
    if (block.type !== 'toolCall') return block
    const id = block.id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return { ...block, callId: count === 1 ? `${turn}.${id}` : `${turn}.${id}.${count}` }
  })
  return { ...answer, content }
}

/**
 * Returns a predicate for calls with a lower priority than another call of the answer; an unknown tool has no priority.
 */
function outranked({ tools }: PlanParts, answer: AssistantMessage): (call: ToolCallContent) => boolean {
  const calls = toolCallsOf(answer)
  if (calls.length < 2) return noCall
  const priorityOf = ({ name }: ToolCallContent) => {
    const tool = tools.get(name)
    return tool === undefined ? [] : [tool.priority ?? 0]
  }
  // Not spread into one call of `Math.max`: an answer may hold more calls than a function takes arguments.
  const highest = calls.flatMap(priorityOf).reduce((most, one) => Math.max(most, one), -Infinity)
  return (call) => priorityOf(call).some((priority) => priority < highest)
}

const noCall = () => false

function withoutOutranked(
  answer: AssistantMessage,
  isOutranked: (call: ToolCallContent) => boolean,
): { message: AssistantMessage; dropped: readonly string[] } {
  const dropped = toolCallsOf(answer).filter(isOutranked)
  if (dropped.length === 0) return { message: answer, dropped: [] }
  const content = answer.content.filter((block) => block.type !== 'toolCall' || !isOutranked(block))
  return { message: { ...answer, content }, dropped: dropped.map(({ name }) => name) }
}

const outrankedJudgement: CallJudgement = {
  verdict: { kind: 'skipped', text: outrankedText },
  source: 'answer',
  writes: [],
}

function judgePlanned(
  parts: PlanParts,
  call: ToolCallContent,
  authorised: (() => Promise<Authorisations>) | undefined,
  context: PlanContext,
): Promise<CallJudgement> {
  const asks = authorised === undefined ? {} : { authorised: async () => (await authorised()).get(idOf(call)) }
  return judgeCall(parts, { ...call, tool: parts.tools.get(call.name), ...asks }, context)
}

/** Asks the authorising code once about all calls of the round that could run. */
function authorisedRound(
  parts: PlanParts,
  authorise: Authorise,
  calls: readonly ToolCallContent[],
  context: PlanContext,
): () => Promise<Authorisations> {
  const askAll = async () => {
    const looked = await Promise.all(
      calls.map((call) => lookAt(parts, { ...call, tool: parts.tools.get(call.name) }, context)),
    )
    const open = calls.filter((_, index) => looked[index]?.refusal === undefined)
    return authorise(open.map((call) => ({ callId: idOf(call), name: call.name, arguments: call.arguments })))
  }
  let asked: Promise<Authorisations> | undefined
  return () => (asked ??= askAll())
}

function idOf({ callId, id }: ToolCallContent): string {
  return callId ?? id
}

function planOf({ tools }: PlanParts, call: ToolCallContent, { verdict }: CallJudgement): CallPlan {
  const tool = tools.get(call.name)
  return {
    callId: idOf(call),
    verdict,
    effects: tool?.effects ?? 'once',
    resumeMode: tool?.resume ?? 'replay',
    // A call that is left out does not prevent another call from running in parallel.
    isExclusive: tool?.concurrency === 'exclusive' && verdict.kind !== 'skipped',
    blocksRun: tool?.service?.onPartialSuspension !== 'continue' && tool?.continue !== true,
    callHash: hashText(canonicalJson([call.name, call.arguments])),
  }
}
