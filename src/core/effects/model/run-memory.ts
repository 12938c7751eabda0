import type { AssistantMessage } from '../../domain/message.ts'
import type { RunView } from '../../ports/effect-handler.ts'
import { PromptBuilder } from '../../prompt/prompt-builder.ts'
import type { PromptFit } from './prompt-fit.ts'

/** A process's memory about a run that it drives. If a crash loses it, the model call starts again. */
export interface RunMemory {
  readonly prompt: PromptBuilder
  /** Parts of an answer that was cut off. */
  parts: readonly AssistantMessage[]
  /** Options that a model does not support, with their owner, already reported. */
  readonly ignored: Set<string>
  /** Models without a price, already reported. */
  readonly unpriced: Set<string>
  /** The fit of the last prompt; absent before the first attempt. */
  fit?: PromptFit
  /** True once a prompt has begun with less than half of the previous prompt, and the run has reported it. */
  hasDrifted?: boolean
}

/** The memories of the runs that this process drives. */
export class RunMemories {
  readonly #memories = new WeakMap<RunView, RunMemory>()

  of(view: RunView): RunMemory {
    const memory = this.#memories.get(view) ?? {
      prompt: new PromptBuilder(),
      parts: [],
      ignored: new Set(),
      unpriced: new Set(),
    }
    this.#memories.set(view, memory)
    return memory
  }
}
