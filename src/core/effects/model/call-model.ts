import type { Attempted, CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { ModelError } from '../../domain/model-error.ts'
import type { RequestPlan } from '../../domain/request-plan.ts'
import type { EffectHandler, EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import { isUnpriced, tellUnpriced } from './answer-cost.ts'
import type { AgentParts } from '../agent-parts.ts'
import { listening } from '../ask-code.ts'
import { buildPrompt } from './build-prompt.ts'
import { failedAttempt } from './failed-attempt.ts'
import { type FittedPrompt, fitPrompt } from './fit-prompt.ts'
import type { AnswerVerdict } from './held-answer.ts'
import { chosenTools, type PlannedRequest, requestFor, planOf } from './request-parts.ts'
import { modelAt, modelsFrom } from './order-models.ts'
import { shownTools } from '../permissions/permission-parts.ts'
import type { RunMemories, RunMemory } from './run-memory.ts'
import { type AskedAnswer, streamAnswer } from './stream-answer.ts'
import { refuseAnswer, takeAnswer } from './take-answer.ts'
import { addUsage } from '../../domain/usage.ts'

const maxContinuations = 3

/** A prompt has drifted if it begins with less than this share of the previous prompt. */
const leastShare = 0.5

/** Asks the model once and processes its answer: the prompt, the request, the stream, and the verdict. */
export function callModel(parts: AgentParts, memories: RunMemories): EffectHandler<CallModelInput, Attempted> {
  return {
    kind: 'repeatable',
    readsTranscript: true,
    perform: async (input, context) => {
      const plan = planOf(input.request, context.view)
      const models = modelsFrom(parts.models, plan.model)
      const model = modelAt(models, input.modelIndex)
      const memory = memories.of(context.view)
      try {
        return await attempt({ ...parts, models }, { model, input, plan }, memory, context)
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        return { output: failedAttempt(error, model, input, parts.retry, memory, context) }
      }
    },
  }
}

interface Attempt {
  readonly model: Model
  readonly input: CallModelInput
  readonly plan: RequestPlan
}

async function attempt(
  parts: AgentParts,
  asking: Attempt,
  memory: RunMemory,
  context: EffectContext,
): Promise<EffectResult<Attempted>> {
  const { model, input, plan } = asking
  const startedAt = context.clock.now()
  const isContinuing = input.continuations > 0
  const earlier = isContinuing ? memory.parts : []
  const built = await buildPrompt(parts, asking, memory, context)
  const all = await (isContinuing ? parts.tools.inRound(context.view) : parts.tools.forTurn(context))
  const shown = parts.permissions === undefined ? all : shownTools(parts.permissions, all)
  const chosen = chosenTools(shown, plan.tools)
  const prompt = await fitPrompt(parts, built, { ...asking, tools: chosen }, memory, context)
  if (prompt.isOutgrown === true) return { output: { kind: 'outgrown' } }
  const answered = { answers: memory.prompt.answers, earlier }
  const planned = requestFor(parts, chosen, { ...input, plan }, prompt, answered, context.view)
  const request = parts.plugins.length === 0 ? planned : await transformed(parts, planned, asking, context)
  const isFinal = earlier.length >= maxContinuations
  const isHeld = parts.plugins.length > 0 && listening(parts.plugins, 'onAnswer').length > 0
  const held = isHeld ? new (await import('./held-answer.ts')).HeldAnswer(parts, model, input.turn, context) : undefined
  const asked = {
    model,
    request: { ...request, signal: context.signal },
    turn: input.turn,
    earlier,
    output: parts.output,
    isFinal: input.isFinishing,
    held,
  }
  let verdict: AnswerVerdict | undefined
  const released = async (part: AssistantMessage): Promise<AssistantMessage> => {
    if (![...earlier, part].some(hasContent)) throw emptyAnswer(model, part)
    if (held === undefined || (isCutOff(part) && !isFinal)) return { ...part, content: [] }
    verdict = await held.release(joinAnswers([...earlier, part]))
    return { ...part, content: verdict.kind === 'kept' ? verdict.answer.content : [] }
  }
  const answer = await (isHeld
    ? streamHeldBack(parts, asked, memory, context, released)
    : streamAnswer(parts, asked, memory, context))
  if (![...earlier, answer].some(hasContent)) throw emptyAnswer(model, answer)
  if (isUnpriced(answer)) tellUnpriced(model, memory, input.turn, context)
  const isContinued = isCutOff(answer) && !isFinal
  memory.parts = isContinued ? [...earlier, answer] : []
  if (isContinued) return { output: { kind: 'truncated', parts: memory.parts.length } }
  const joined = verdict?.kind === 'kept' ? verdict.answer : isContinuing ? joinAnswers([...earlier, answer]) : answer
  if (verdict?.kind === 'refused') {
    const refused = { reason: verdict.reason, answer: joined, startedAt, cut: prompt.moved, leftOut: built.leftOut }
    return refuseAnswer(model, refused, context)
  }
  const tools = request === planned ? chosen : chosenTools(shown, namesOf(request))
  const prefixShare = shareOf(prompt, memory, input.turn, context)
  const whole = { answer: joined, startedAt, cut: prompt.moved, leftOut: built.leftOut, prefixShare }
  const isGoverned = parts.permissions?.policy !== undefined
  const authorise = isGoverned
    ? (await import('../permissions/authorise.ts')).authoriser(parts, all, context)
    : undefined
  const taking = { ...parts, model, tools, unoffered: all, ...(authorise === undefined ? {} : { authorise }) }
  return takeAnswer(taking, input, whole, context)
}

/**
 * Makes one request whose answer plugins read first. A tracer sees the answer that the plugins leave; the result is the
 * original.
 */
async function streamHeldBack(
  parts: AgentParts,
  asked: AskedAnswer,
  memory: RunMemory,
  context: EffectContext,
  released: (answer: AssistantMessage) => Promise<AssistantMessage>,
): Promise<AssistantMessage> {
  const { asking } = context
  let answer: AssistantMessage | undefined
  const read = async () => {
    answer = await streamAnswer(parts, asked, memory, { ...context, asking: undefined })
    return released(answer)
  }
  const told = { provider: asked.model.provider, model: asked.model.id, messages: asked.request.messages }
  const shown = await (asking === undefined ? read() : asking(told, read))
  return answer ?? shown
}

async function transformed(parts: AgentParts, planned: PlannedRequest, asking: Attempt, context: EffectContext) {
  if (listening(parts.plugins, 'transformRequest').length === 0) return planned
  const { transformRequest } = await import('./transform-request.ts')
  return transformRequest(parts, planned, asking, context)
}

/** Reports drift once, because drift invalidates the provider's cache. */
function shareOf(
  { moved }: FittedPrompt,
  memory: RunMemory,
  turn: number,
  { runId, clock, emit }: EffectContext,
): number | undefined {
  const share = memory.fit?.sent.takeShare()
  if (share === undefined || share >= leastShare || moved !== undefined || memory.hasDrifted === true) return share
  memory.hasDrifted = true
  emit({ type: 'context.drifted', runId, at: clock.now(), turn, prefixShare: share })
  return share
}

function namesOf({ tools }: PlannedRequest): readonly string[] {
  return tools.map(({ name }) => name)
}

/** Returns true if a part of an answer has a text or a call. Thinking alone is not an answer. */
function hasContent({ content }: AssistantMessage): boolean {
  return content.some((block) => block.type === 'toolCall' || (block.type === 'text' && block.text.trim() !== ''))
}

/** Returns the failure of an answer without content. It counts as an outage, so that the model is asked again. */
function emptyAnswer({ provider, id }: Model, { stopReason, errorMessage }: AssistantMessage): ModelError {
  const cut = stopReason === 'length' ? ': its limit of tokens was reached before the first word. Raise maxTokens' : ''
  const told = errorMessage === undefined ? '' : ` ${errorMessage}`
  return new ModelError('network', `The model ${provider}/${id} gave an answer without text or calls${cut}.${told}`)
}

/** A truncated answer with complete calls is not continued: its calls run. */
function isCutOff({ stopReason, content }: AssistantMessage): boolean {
  return stopReason === 'length' && !content.some((block) => block.type === 'toolCall')
}

/** The parts of an answer that was cut off, as one message. */
function joinAnswers(answers: readonly AssistantMessage[]): AssistantMessage {
  const [first, ...others] = answers
  if (first === undefined) throw new Error('No answer to join.')
  return others.reduce((whole, next) => {
    const rest = next.content.filter((block) => block.type !== 'text')
    const kept = whole.content.filter((block) => block.type !== 'text')
    return {
      ...next,
      content: [...kept, { type: 'text', text: textOf(whole) + textOf(next) }, ...rest],
      usage: addUsage(whole.usage, next.usage),
      ...sumOf('cost', whole, next),
      ...sumOf('executionUnits', whole, next),
    }
  }, first)
}

function sumOf(field: 'cost' | 'executionUnits', left: AssistantMessage, right: AssistantMessage): object {
  const given = [left[field], right[field]].filter((amount) => amount !== undefined)
  return given.length === 0 ? {} : { [field]: given.reduce((sum, amount) => sum + amount) }
}
