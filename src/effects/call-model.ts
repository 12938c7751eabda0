import type { Attempted, CallModelInput } from '../../machines/model-call/model-call.types.ts'
import { type AssistantMessage, textOf } from '../domain/message.ts'
import { freezeDeep } from '../domain/json.ts'
import { maxJsonBytes } from '../domain/json-limits.ts'
import type { Write } from '../domain/log.ts'
import { nextLoopTurn } from '../domain/platform.ts'
import { ModelError } from '../domain/model-error.ts'
import { thrownText } from '../domain/thrown-text.ts'
import { addUsage } from '../domain/usage.ts'
import type { EffectHandler, EffectContext, EffectResult, RunView } from '../ports/effect-handler.ts'
import type { Model, ModelRequest, RequestOption } from '../ports/model.ts'
import { PartialOutput } from './partial-output.ts'
import { PromptBuilder } from '../prompt/prompt-builder.ts'
import { isUnpriced, priced } from './answer-cost.ts'
import { checkAnswer, checkEvent } from './check-answer.ts'
import type { AgentParts } from './agent-parts.ts'
import { judgeOutput } from './judge-output.ts'
import { failedAttempt } from './failed-attempt.ts'
import { chosenTools, type PlannedRequest, requestFor } from './model-request.ts'
import { modelAt, modelsFrom } from './order-models.ts'
import { planCalls, type PlanParts, type UnrunCall } from './plan-calls.ts'
import { previewCalls } from './preview-calls.ts'
import { planOf } from './request-parts.ts'
import { transformRequest } from './transform-request.ts'

const maxContinuations = 3

/** Asks the model once and takes its answer in: ids, priorities and a verdict for each call. */
export function callModel(parts: AgentParts): EffectHandler<CallModelInput, Attempted> {
  const memories = new WeakMap<RunView, RunMemory>()
  return {
    kind: 'repeatable',
    readsTranscript: true,
    perform: async (input, context) => {
      const plan = planOf(input.request, context.view)
      const models = modelsFrom(parts.models, plan.model)
      const model = modelAt(models, input.modelIndex)
      const startedAt = context.clock.now()
      const memory = memoryOf(memories, context.view)
      const isContinuing = input.continuations > 0
      const earlier = isContinuing ? memory.parts : []
      try {
        const { messages: added = [] } = plan
        const transcript = context.view.messages()
        const prompt = memory.prompt.build(added.length === 0 ? transcript : [...transcript, ...added])
        const all = await (isContinuing ? parts.tools.inRound(context.view) : parts.tools.forTurn(context))
        const chosen = chosenTools(all, plan.tools)
        const planned = requestFor(parts, chosen, { ...input, plan }, prompt, earlier, context.view)
        const request = await transformRequest(parts, planned, { model, input }, context)
        const asked = { ...request, signal: context.signal }
        const answer = priced(parts, model, await ask(model, asked, memory, { ...parts, earlier }, input.turn, context))
        if (isUnpriced(answer)) tellUnpriced(model, memory, input.turn, context)
        const isContinued = isCutOff(answer) && earlier.length < maxContinuations
        memory.parts = isContinued ? [...earlier, answer] : []
        if (isContinued) return { output: { kind: 'truncated', parts: memory.parts.length } }
        const tools = request === planned ? chosen : chosenTools(all, namesOf(request))
        const planParts = { ...parts, models, tools, unoffered: all }
        return await taken(planParts, input, joined([...earlier, answer]), startedAt, context)
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        return { output: failedAttempt(error, model, input, parts.retry, context) }
      }
    },
  }
}

function namesOf({ tools }: PlannedRequest): readonly string[] {
  return tools.map(({ name }) => name)
}

/** A truncated answer with complete calls is not continued: its calls run. */
function isCutOff({ stopReason, content }: AssistantMessage): boolean {
  return stopReason === 'length' && !content.some((block) => block.type === 'toolCall')
}

/** What a process remembers of a run it drives; a crash loses it, and the call starts again. */
interface RunMemory {
  readonly prompt: PromptBuilder
  /** Parts of an answer that was cut off. */
  parts: readonly AssistantMessage[]
  /** Options a model has no place for, and whose they are: told already. */
  readonly ignored: Set<string>
  /** Models without a price, told already. */
  readonly unpriced: Set<string>
}

function memoryOf(memories: WeakMap<RunView, RunMemory>, view: RunView): RunMemory {
  const memory = memories.get(view) ?? {
    prompt: new PromptBuilder(),
    parts: [],
    ignored: new Set(),
    unpriced: new Set(),
  }
  memories.set(view, memory)
  return memory
}

/** The parts of an answer before this one, and what it has to be. */
interface AskedParts extends Pick<AgentParts, 'output'> {
  readonly earlier: readonly AssistantMessage[]
}

async function ask(
  model: Model,
  request: ModelRequest,
  memory: RunMemory,
  { earlier, output }: AskedParts,
  turn: number,
  context: EffectContext,
): Promise<AssistantMessage> {
  const { runId, clock, emit, signal } = context
  emit({ type: 'message.started', runId, at: clock.now(), turn, role: 'assistant' })
  const before = earlier.map(textOf).join('')
  if (before !== '')
    emit({ type: 'message.updated', runId, at: clock.now(), turn, delta: { type: 'text', delta: before } })
  // What a builder makes of an answer is known only of a whole one.
  const partialOutput = output === undefined || output.builder !== undefined ? undefined : new PartialOutput()
  partialOutput?.add(before)
  let answer: AssistantMessage | undefined
  let count = 0
  let length = 0
  for await (const given of streamOf(model, request)) {
    if (signal.aborted) throw new ModelError('cancelled', 'The model call was cancelled.')
    // A stream that always has more ready would keep every timer of the process waiting.
    if (++count % 1000 === 0) await nextLoopTurn()
    const event = checkEvent(model, given)
    if (event.type === 'finished') {
      answer = event.message
      if (event.leftOut !== undefined) tellIgnored(model, event.leftOut, memory, turn, context)
    } else {
      length += event.delta.length
      if (length > maxJsonBytes) throw new ModelError('api', `${model.provider} gave an answer without end.`)
      emit({ type: 'message.updated', runId, at: clock.now(), turn, delta: event })
      const partial = event.type === 'text' ? partialOutput?.add(event.delta) : undefined
      if (partial !== undefined) emit({ type: 'output.updated', runId, at: clock.now(), turn, partial })
    }
  }
  if (answer === undefined) {
    throw new ModelError('network', `The stream of ${model.provider}/${model.id} ended before its final message.`)
  }
  return checkAnswer(model, answer)
}

function tellIgnored(
  { provider, id }: Model,
  leftOut: readonly RequestOption[],
  { ignored }: RunMemory,
  turn: number,
  { runId, clock, emit }: EffectContext,
): void {
  const nameOf = (option: string) => `${provider}/${id} ${option}`
  const options = leftOut.filter((option) => !ignored.has(nameOf(option)))
  if (options.length === 0) return
  for (const option of options) ignored.add(nameOf(option))
  emit({ type: 'options.ignored', runId, at: clock.now(), turn, provider, model: id, options })
}

function tellUnpriced(
  { provider, id }: Model,
  { unpriced }: RunMemory,
  turn: number,
  { runId, clock, emit }: EffectContext,
): void {
  const name = `${provider}/${id}`
  if (unpriced.has(name)) return
  unpriced.add(name)
  emit({ type: 'model.unpriced', runId, at: clock.now(), turn, provider, model: id })
}

/** What a model throws that is no `ModelError` is a defect of the model's adapter, told as an API error. */
async function* streamOf(model: Model, request: ModelRequest) {
  try {
    yield* model.stream(request)
  } catch (cause) {
    if (cause instanceof ModelError) throw cause
    throw new ModelError('api', `The model ${model.provider}/${model.id} failed: ${thrownText(cause)}`, { cause })
  }
}

function joined(answers: readonly AssistantMessage[]): AssistantMessage {
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

/** What one part has and the other lacks is the whole's. */
function sumOf(field: 'cost' | 'executionUnits', left: AssistantMessage, right: AssistantMessage): object {
  const given = [left[field], right[field]].filter((amount) => amount !== undefined)
  return given.length === 0 ? {} : { [field]: given.reduce((sum, amount) => sum + amount) }
}

async function taken(
  parts: PlanParts & Pick<AgentParts, 'hookTimeoutMs' | 'output' | 'plugins'>,
  input: CallModelInput,
  answer: AssistantMessage,
  startedAt: number,
  context: EffectContext,
): Promise<EffectResult<Attempted>> {
  const turn = context.view.carriedTurns + input.turn
  const planned = await planCalls(parts, { ...input, turn }, answer, context)
  const { message, plans, dropped, unrun } = planned
  const records = planned.isAsking ? await previewCalls(parts, planned, context) : planned.records
  const { usage, cost = 0 } = answer
  const bounds = { ...context, hookTimeoutMs: parts.hookTimeoutMs }
  const judged =
    parts.output === undefined || hasCalls(message) ? undefined : await judgeOutput(parts.output, message, bounds)
  const misfit = judged?.misfit === undefined ? {} : { misfit: judged.misfit }
  const at = context.clock.now()
  return {
    output: (seq) => ({
      kind: 'answered',
      answer: { seq, calls: plans, dropped, ...misfit, usage, cost, startedAt, at },
    }),
    writes: [
      { kind: 'append', message: freezeDeep(message) },
      ...(judged?.writes ?? []),
      ...records.map((call): Write => ({ kind: 'reserve', call: freezeDeep(call) })),
      ...unrun.flatMap(settledUnrun),
    ],
  }
}

function hasCalls({ content }: AssistantMessage): boolean {
  return content.some(({ type }) => type === 'toolCall')
}

/** Its result is written with the answer itself, so that no later step has to carry the call. */
function settledUnrun({ callId, text }: UnrunCall): readonly Write[] {
  return [
    { kind: 'result', callId, text },
    { kind: 'call', callId, patch: { status: 'failed' } },
  ]
}
