import type {
  CallModelInput,
  CompactPromptInput,
  SummariseInput,
} from '../../../../machines/model-call/model-call.types.ts'
import { mediaRefusal, refusing, withoutRefused } from '../../domain/media-refusal.ts'
import type { ModelMessage } from '../../domain/message.ts'
import type { RequestPlan } from '../../domain/request-plan.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import { newMedia } from '../../prompt/new-media.ts'
import { PromptBuilder } from '../../prompt/prompt-builder.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'
import type { BuiltPrompt } from './prompt-fit.ts'
import { modelAt, modelsFrom } from './order-models.ts'
import { checkedMessages, chosenTools, planOf, requestContext } from './request-parts.ts'
import type { RunMemories, RunMemory } from './run-memory.ts'

/** The attempt that a prompt is for. */
export interface PromptedCall {
  readonly model: Model
  readonly input: Pick<CallModelInput, 'turn' | 'refusal'>
  readonly plan: RequestPlan
}

/**
 * Returns the messages of one model call: those of the transcript and of plugins, as the plugins change them in turn.
 */
export async function buildPrompt(
  parts: Pick<AgentParts, 'plugins' | 'pluginTimeoutMs'>,
  call: PromptedCall,
  memory: RunMemory,
  context: EffectContext,
): Promise<BuiltPrompt> {
  const { starts, ...built } = await wholePrompt(parts, call, memory, context)
  const { refusal } = call.input
  if (refusal === undefined) return { ...built, ...(starts === undefined ? {} : { starts }) }
  const media = newMedia(built.messages, context.view)
  const refused = refusing(media, refusal)
  const messages = built.messages.map((message) => withoutRefused(message, refused))
  return { ...built, messages, leftOut: mediaRefusal(media, refusal, context.clock.now()) }
}

/** Builds the prompt of a model call again to make it smaller. */
export async function promptAgain(
  parts: AgentParts,
  input: CompactPromptInput | SummariseInput,
  memories: RunMemories,
  context: EffectContext,
) {
  const plan = planOf(input.request, context.view)
  const model = modelAt(modelsFrom(parts.models, plan.model), input.modelIndex)
  const memory = memories.of(context.view)
  const built = await buildPrompt(parts, { model, input, plan }, memory, context)
  const tools = chosenTools(await parts.tools.inRound(context.view), plan.tools)
  return { built, call: { model, input, plan, tools }, memory }
}

async function wholePrompt(
  parts: Pick<AgentParts, 'plugins' | 'pluginTimeoutMs'>,
  { model, input, plan }: PromptedCall,
  memory: RunMemory,
  context: EffectContext,
): Promise<BuiltPrompt> {
  const { messages: added = [] } = plan
  const transcript = context.view.messages()
  const whole = memory.prompt.build(transcript, context.view.keptOf(memory.prompt.messages))
  const own = whole.length
  const { wishes, starts } = memory.prompt
  const prompt = added.length === 0 ? whole : memory.prompt.build([...transcript, ...added], transcript.length)
  const building = listening(parts.plugins, 'buildPrompt')
  if (building.length === 0) return { messages: prompt, own, wishes, starts }
  let messages: readonly ModelMessage[] = prompt
  for (const plugin of building) {
    const make = async ({ shown, signal }: Asking<readonly ModelMessage[]>) =>
      rebuilt(await plugin.buildPrompt?.(shown, requestContext(model, input.turn, context, signal)), shown)
    const bounds = { ...context, pluginTimeoutMs: parts.pluginTimeoutMs }
    messages = await askPlugin(plugin, 'buildPrompt', bounds, make, [...messages])
  }
  return { messages, own: messages.length, wishes }
}

function rebuilt(made: unknown, given: readonly ModelMessage[]): readonly ModelMessage[] {
  return new PromptBuilder().build(checkedMessages(made, given))
}
