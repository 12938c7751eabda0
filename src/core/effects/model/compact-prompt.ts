import type { Compacted, CompactPromptInput } from '../../../../machines/model-call/model-call.types.ts'
import type { EffectHandler } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import { promptAgain } from './build-prompt.ts'
import { shrinkPrompt } from './fit-prompt.ts'
import type { RunMemories } from './run-memory.ts'
import { cutWrites } from './take-answer.ts'

/**
 * Makes the prompt of a model call smaller because its model rejected it as too long. The cut is written to the log at
 * once.
 */
export function compactPrompt(parts: AgentParts, memories: RunMemories): EffectHandler<CompactPromptInput, Compacted> {
  return {
    kind: 'local',
    readsTranscript: true,
    perform: async (input, context) => {
      const { built, call, memory } = await promptAgain(parts, input, memories, context)
      const { moved, isOutgrown } = await shrinkPrompt(parts, built, call, memory, context)
      if (isOutgrown === true) return { output: { kind: 'outgrown' } }
      return { output: { kind: 'compacted' }, writes: cutWrites(moved) }
    },
  }
}
