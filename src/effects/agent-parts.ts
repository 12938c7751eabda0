import type { Model } from '../ports/model.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Tool } from '../ports/tool.ts'

/** What the effect handlers work with: current code, never stored. */
export interface AgentParts {
  readonly name: string
  readonly instructions: string
  /** The model, then its fallbacks. */
  readonly models: readonly Model[]
  readonly tools: ReadonlyMap<string, Tool>
  readonly plugins: readonly Plugin[]
  /** Milliseconds a tool may take, where it says nothing itself. */
  readonly toolTimeoutMs?: number
  readonly maxTokens?: number
  readonly temperature?: number
  readonly retry: RetryOptions
}

/** How often and when a model is asked again after a rate limit or a failure of the network. */
export interface RetryOptions {
  /** Default 3; 0 turns retries off, `Infinity` never gives up. */
  readonly maxRetries: number
  /** Milliseconds before the first retry; default 1,000. */
  readonly initialDelayMs: number
  /** Default 2. */
  readonly factor: number
  /** Milliseconds; default 30,000. */
  readonly maxDelayMs: number
  /** A number in [0, 1) for the jitter of ±20 %. */
  readonly random: () => number
}
