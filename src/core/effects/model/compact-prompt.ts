import type { Compacted, CompactPromptInput } from '../../../../machines/model-call/model-call.types.ts'
import type { EffectHandler } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import { buildPrompt } from './build-prompt.ts'
import { shrinkPrompt } from './fit-prompt.ts'
import { chosenTools, planOf } from './request-parts.ts'
import { modelAt, modelsFrom } from './order-models.ts'
import type { RunMemories } from './run-memory.ts'
import { cutWrites } from './take-answer.ts'

/** Makes the prompt of a model call smaller, because its model has refused it as too long; the cut is in the log at once. */
export function compactPrompt(parts: AgentParts, memories: RunMemories): EffectHandler<CompactPromptInput, Compacted> {
  return {
    kind: 'local',
    readsTranscript: true,
    perform: async (input, context) => {
      const plan = planOf(input.request, context.view)
      const model = modelAt(modelsFrom(parts.models, plan.model), input.modelIndex)
      const asking = { model, input, plan }
      const memory = memories.of(context.view)
      const built = await buildPrompt(parts, asking, memory, context)
      const tools = chosenTools(await parts.tools.inRound(context.view), plan.tools)
      const { moved, isOutgrown } = await shrinkPrompt(parts, built, { ...asking, tools }, memory, context)
      if (isOutgrown === true) return { output: { kind: 'outgrown' } }
      return { output: { kind: 'compacted' }, writes: cutWrites(moved) }
    },
  }
}
