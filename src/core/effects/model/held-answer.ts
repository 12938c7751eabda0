import { isRecord } from '../../domain/text/json.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { Plugin } from '../../ports/plugin.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'
import { checkAnswer } from './check-answer.ts'
import { PartialOutput } from './partial-output.ts'
import { requestContext } from './request-parts.ts'
import { isWrappedOutput, unwrappedPart } from './rooted-output.ts'
import type { RunMemory } from './run-memory.ts'
import { type AskedAnswer, streamAnswer } from './stream-answer.ts'

type HoldingParts = Pick<AgentParts, 'plugins' | 'hookTimeoutMs' | 'output'>

/**
 * Makes one request to a model, and tells nothing of the answer while it comes. Of the whole of it, `release` gives what
 * may be traced.
 */
export async function streamHeldBack(
  parts: Pick<AgentParts, 'prices'>,
  asked: AskedAnswer,
  memory: RunMemory,
  context: EffectContext,
  release: (answer: AssistantMessage) => Promise<AssistantMessage>,
): Promise<AssistantMessage> {
  const { asking } = context
  const emit: EffectContext['emit'] = (event) => {
    if (event.type !== 'message.updated' && event.type !== 'output.updated') context.emit(event)
  }
  let answer: AssistantMessage | undefined
  const read = async () => {
    answer = await streamAnswer(parts, asked, memory, { ...context, asking: undefined, emit })
    return release(answer)
  }
  const told = { provider: asked.model.provider, model: asked.model.id, messages: asked.request.messages }
  const shown = await (asking === undefined ? read() : asking(told, read))
  return answer ?? shown
}

/**
 * Asks the plugins at `onAnswer` what is taken of an answer that was held back, and then tells the text of that. What the
 * answer has used and cost stays.
 */
export async function releaseAnswer(
  { plugins, hookTimeoutMs, output }: HoldingParts,
  model: Model,
  answer: AssistantMessage,
  turn: number,
  context: EffectContext,
): Promise<AssistantMessage> {
  let kept = answer
  for (const plugin of listening(plugins, 'onAnswer')) {
    const take = async ({ shown, signal }: Asking<AssistantMessage>) => {
      const given = await answerOf(plugin, shown, model, turn, { ...context, signal })
      return given === undefined ? shown : withContent(model, shown, given)
    }
    kept = await askPlugin(plugin, 'onAnswer', { ...context, hookTimeoutMs }, take, kept)
  }
  tellReleased(kept, output, turn, context)
  return kept
}

/** Asks one plugin. An error may hold the answer, so its text is neither told nor kept. */
async function answerOf(
  plugin: Plugin,
  answer: AssistantMessage,
  model: Model,
  turn: number,
  context: EffectContext,
): Promise<unknown> {
  try {
    return await plugin.onAnswer?.(answer, requestContext(model, turn, context, context.signal))
  } catch {
    throw new Error('it threw. What it threw is kept nowhere, as it may hold what is to be left out.')
  }
}

function withContent(model: Model, answer: AssistantMessage, given: unknown): AssistantMessage {
  if (!isRecord(given) || !Array.isArray(given['content'])) {
    throw new TypeError('it gave no content. Expected { content: [text, thinking or toolCall blocks] }, or nothing.')
  }
  const { content } = given as unknown as AssistantMessage
  const { cost } = answer
  return { ...checkAnswer(model, { ...answer, content }), ...(cost === undefined ? {} : { cost }) }
}

/** Tells a whole answer at once, as a stream would have told it part by part. */
function tellReleased(
  answer: AssistantMessage,
  output: HoldingParts['output'],
  turn: number,
  { runId, clock, emit }: EffectContext,
): void {
  for (const block of answer.content) {
    if (block.type === 'thinking') {
      const delta = { type: block.type, delta: block.thinking }
      emit({ type: 'message.updated', runId, at: clock.now(), turn, delta })
    }
  }
  const text = textOf(answer)
  if (text === '') return
  emit({ type: 'message.updated', runId, at: clock.now(), turn, delta: { type: 'text', delta: text } })
  if (output === undefined || output.builder !== undefined) return
  const read = new PartialOutput().add(text)
  const partial = isWrappedOutput(output) ? unwrappedPart(read) : read
  if (partial !== undefined) emit({ type: 'output.updated', runId, at: clock.now(), turn, partial })
}
