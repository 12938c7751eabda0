import type { Model, ModelRequest, Prices } from '../ports/model.ts'
import type { OutputContract } from '../ports/output-contract.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { AgentTools } from './agent-tools.ts'
import type { InheritedPermissions, PermissionParts } from './permissions/permission-parts.ts'

/** The dependencies of the effect handlers: current code, never stored. */
export interface AgentParts extends Pick<ModelRequest, 'maxTokens' | 'temperature' | 'thinking' | 'cache'> {
  readonly name: string
  readonly instructions: string
  /** The model, then its fallbacks. */
  readonly models: readonly Model[]
  /** By `provider/model`; they win over a model's own. */
  readonly prices: ReadonlyMap<string, Prices>
  readonly tools: AgentTools
  readonly plugins: readonly Plugin[]
  /** The maximum number of calls of one answer to process; the rest get an error result without running. */
  readonly maxCallsPerTurn: number
  /** Milliseconds that a plugin may take at one phase. */
  readonly pluginTimeoutMs: number
  /** The milliseconds that a tool may take, if it declares no time-out itself. */
  readonly toolTimeoutMs?: number
  /** True if what tools and models give is remembered. */
  readonly isRemembering?: boolean
  /** The limits of prompts; false for prompts without a limit. */
  readonly compaction: CompactionOptions | false
  /** True if a picture is sent to one model call alone. */
  readonly maskSeenMedia?: boolean
  readonly output?: OutputContract
  readonly retry: RetryOptions
  /** The permission rules, policy and manager; absent if the agent has none. */
  readonly permissions?: PermissionParts
  /** The permissions of the levels above a sub-agent, the nearest first. */
  readonly inherited?: readonly InheritedPermissions[]
  /** Returns the permissions of an agent that spoke earlier. Throws an error for an unknown agent. */
  readonly rulesOfSpeaker?: (agent: string) => readonly InheritedPermissions[]
  /** True for a sub-agent and for an agent with sub-agents. */
  readonly isInFamily?: boolean
}
