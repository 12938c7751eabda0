import { ignoreRejection } from '../../domain/ignore-throws.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { maxJsonBytes } from '../../domain/text/json-limits.ts'
import { ModelError } from '../../domain/model-error.ts'
import { nextLoopTurn } from '../../domain/text/platform.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model, ModelEvent, ModelRequest, RequestOption } from '../../ports/model.ts'
import type { AgentParts } from '../agent-parts.ts'
import { priced } from './answer-cost.ts'
import { checkAnswer, checkEvent } from './check-answer.ts'
import type { HeldAnswer } from './held-answer.ts'
import { isWrappedOutput, unwrappedPart } from './rooted-output.ts'
import type { RunMemory } from './run-memory.ts'

/** One request to a model, and the answer to which it contributes. */
export interface AskedAnswer {
  readonly model: Model
  readonly request: ModelRequest
  readonly turn: number
  /** The parts of the answer before this one. */
  readonly earlier: readonly AssistantMessage[]
  readonly output?: AgentParts['output'] | undefined
  /** True for the one answer that a limit allows. */
  readonly isFinal?: boolean
  /** Holds back the answer, if plugins review it first. */
  readonly held?: HeldAnswer | undefined
}

/**
 * Sends one request to a model, reads its answer to the end and emits its pieces. A failure of the wire is a
 * `ModelError`. Every paid request passes through here: the answer gets its cost, the family's account is charged, and
 * the tracer is notified.
 */
export async function streamAnswer(
  parts: Pick<AgentParts, 'prices'>,
  asked: AskedAnswer,
  memory: RunMemory,
  context: EffectContext,
): Promise<AssistantMessage> {
  const { model, request, turn, earlier, output, held } = asked
  const { runId, clock, emit, signal, asking, account } = context
  if (account !== undefined) {
    const { chargeAnswer } = await import('./charge-answer.ts')
    const perform = () => streamAnswer(parts, asked, memory, { ...context, account: undefined })
    return chargeAnswer(account, parts, asked, memory, context, perform)
  }
  if (asking !== undefined) {
    const told = { provider: model.provider, model: model.id, messages: request.messages }
    return asking(told, () => streamAnswer(parts, asked, memory, { ...context, asking: undefined }))
  }
  emit({ type: 'message.started', runId, at: clock.now(), turn, role: 'assistant' })
  const before = earlier.map(textOf).join('')
  if (before !== '' && held === undefined)
    emit({ type: 'message.updated', runId, at: clock.now(), turn, delta: { type: 'text', delta: before } })
  // A builder needs the whole answer.
  const partialOutput =
    output === undefined || output.builder !== undefined
      ? undefined
      : new (await import('./partial-output.ts')).PartialOutput()
  const isWrapped = partialOutput !== undefined && output !== undefined && isWrappedOutput(output)
  if (held === undefined) partialOutput?.add(before)
  let answer: AssistantMessage | undefined
  const events = checkedEvents(model, request, signal)
  for await (const event of held === undefined ? events : held.through(events, before)) {
    if (event.type === 'finished') {
      answer = event.message
      if (event.leftOut !== undefined) tellIgnored(model, event.leftOut, memory, turn, context)
    } else {
      emit({ type: 'message.updated', runId, at: clock.now(), turn, delta: event })
      const read = event.type === 'text' ? partialOutput?.add(event.delta) : undefined
      const partial = isWrapped ? unwrappedPart(read) : read
      if (partial !== undefined) emit({ type: 'output.updated', runId, at: clock.now(), turn, partial })
    }
  }
  if (answer === undefined) {
    throw new ModelError('network', `The stream of ${model.provider}/${model.id} ended before its final message.`)
  }
  return priced(parts, model, checkAnswer(model, answer))
}

/**
 * Yields the events of an answer until it ends or is no longer needed. An error that is not a `ModelError` is a defect of
 * the model's adapter and becomes an API error.
 */
async function* checkedEvents(model: Model, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  let count = 0
  let length = 0
  let stream: ReturnType<Model['stream']> | undefined
  try {
    stream = model.stream(request)
    for await (const given of stream) {
      if (signal.aborted) throw new ModelError('cancelled', 'The model call was cancelled.')
      // A stream that always has more ready would keep every timer of the process waiting.
      if (++count % 1000 === 0) await nextLoopTurn()
      const event = checkEvent(model, given)
      if (event.type !== 'finished') length += event.delta.length
      if (length > maxJsonBytes) throw new ModelError('api', `${model.provider} gave an endless answer.`)
      yield event
    }
  } catch (cause) {
    ignoreRejection(stream)
    if (cause instanceof ModelError) throw cause
    throw new ModelError('api', `The model ${model.provider}/${model.id} failed: ${thrownText(cause)}`, { cause })
  }
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
