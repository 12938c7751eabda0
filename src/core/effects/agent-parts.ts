import type { CacheStrategy, Model, Prices, ThinkingLevel } from '../ports/model.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { ContextBuilder } from '../ports/context-builder.ts'
import type { InputFilter } from '../ports/input-filter.ts'
import type { BuildPrompt, TakeAnswer } from '../ports/loop-parts.ts'
import type { Memory } from '../ports/memory.ts'
import type { OutputContract } from '../ports/output-contract.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { AgentTools } from './agent-tools.ts'
import type { PermissionParts } from './permissions/permission-parts.ts'

/** What the effect handlers work with: current code, never stored. */
export interface AgentParts {
  readonly name: string
  readonly instructions: string
  /** The model, then its fallbacks. */
  readonly models: readonly Model[]
  /** By `provider/model`; they win over a model's own. */
  readonly prices: ReadonlyMap<string, Prices>
  readonly tools: AgentTools
  readonly plugins: readonly Plugin[]
  /** Calls of one answer that are looked at; the rest answer unrun. */
  readonly maxCallsPerTurn: number
  /** Hooks of the user's; absent where there are none. */
  readonly hooks?: Hooks
  /** Milliseconds a hook of a plugin or of the user's may take. */
  readonly hookTimeoutMs: number
  /** Milliseconds a tool may take, where it says nothing itself. */
  readonly toolTimeoutMs?: number
  readonly maxTokens?: number
  readonly temperature?: number
  readonly thinking?: ThinkingLevel
  readonly cache?: CacheStrategy
  /** What looks at prompts, steering and follow-ups, in order; absent where nothing does. */
  readonly inputFilters?: readonly InputFilter[]
  /** What is asked before the loop; absent where nothing is remembered. */
  readonly memory?: Pick<Memory, 'query'>
  readonly contextBuilder?: ContextBuilder
  readonly promptBuilder?: BuildPrompt
  readonly takeAnswer?: TakeAnswer
  /** How prompts are kept within their budget; false where they are not. */
  readonly compaction: CompactionOptions | false
  /** True where a picture is sent to one model call alone. */
  readonly maskSeenMedia?: boolean
  readonly output?: OutputContract
  readonly retry: RetryOptions
  /** Who may call what; absent where nobody has said. */
  readonly permissions?: PermissionParts
}
