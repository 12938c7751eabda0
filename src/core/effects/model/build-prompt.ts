import type { CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { frozenCopy } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { ModelMessage } from '../../domain/message.ts'
import type { RequestPlan } from '../../domain/request-plan.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { BuildPrompt } from '../../ports/loop-parts.ts'
import type { Model } from '../../ports/model.ts'
import { PromptBuilder } from '../../prompt/prompt-builder.ts'
import type { AgentParts } from '../agent-parts.ts'
import { ask } from '../ask.ts'
import { isModelMessage } from '../plugins/plain-input.ts'
import type { BuiltPrompt } from './prompt-fit.ts'
import { oneOf, requestContext } from './request-parts.ts'
import type { RunMemory } from './run-memory.ts'

/** Which attempt a prompt is for. */
export interface PromptedCall {
  readonly model: Model
  readonly input: Pick<CallModelInput, 'turn'>
  readonly plan: RequestPlan
}

/** The messages of one model call: those of the transcript and of plugins, or what the application makes of them. */
export async function buildPrompt(
  parts: Pick<AgentParts, 'promptBuilder' | 'hookTimeoutMs'>,
  { model, input, plan }: PromptedCall,
  memory: RunMemory,
  context: EffectContext,
): Promise<BuiltPrompt> {
  const { promptBuilder, hookTimeoutMs } = parts
  const { messages: added = [] } = plan
  const transcript = context.view.messages()
  const whole = memory.prompt.build(transcript, context.view.keptOf(memory.prompt.messages))
  const own = whole.length
  const { wishes, starts } = memory.prompt
  const prompt = added.length === 0 ? whole : memory.prompt.build([...transcript, ...added], transcript.length)
  if (promptBuilder === undefined) return { messages: prompt, own, wishes, starts }
  const make = async ({ shown, signal }: { readonly shown: readonly ModelMessage[]; readonly signal: AbortSignal }) =>
    checked(await promptBuilder(shown, requestContext(model, input.turn, context, signal)), shown)
  const messages = await ask('"promptBuilder" failed', { ...context, hookTimeoutMs }, make, [...prompt])
  return { messages, own: messages.length, wishes }
}

function checked(made: Awaited<ReturnType<BuildPrompt>>, given: readonly ModelMessage[]): readonly ModelMessage[] {
  const copy: unknown = frozenCopy(made, { keeps: oneOf(given) })
  if (!Array.isArray(copy)) {
    throw new TypeError(`what it gave ${copyJson(made).problem ?? 'is no list'}. Expected a list of messages.`)
  }
  const unreadable = copy.findIndex((message) => !isModelMessage(message))
  if (unreadable >= 0) throw new TypeError(`message ${unreadable} of what it gave is not readable by a model.`)
  return new PromptBuilder().build(copy)
}
