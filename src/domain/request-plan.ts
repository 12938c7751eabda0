import type { ModelMessage } from './message.ts'

/** How much a model thinks before it answers; each wire maps it to its own words. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high'

/** What one model call is made with in the place of the agent's own settings. */
export interface RequestOverride {
  /** `provider/id` of the agent's model or of one of its fallbacks; the others are asked after it, in their order. */
  readonly model?: string
  readonly thinking?: ThinkingLevel
  readonly temperature?: number
  /** Output tokens. */
  readonly maxTokens?: number
  /** `none` forbids tool calls. */
  readonly toolChoice?: 'auto' | 'none'
  /** True demands a call of some tool, a name a call of that one; `toolChoice: 'none'` wins over it. */
  readonly requiredCall?: true | string
}

/** What plugins ask of one model call; JSON, kept with the run until its answer is taken, so that a restart asks the same. */
export interface RequestPlan extends RequestOverride {
  /** Sent after the transcript and in no log. */
  readonly messages?: readonly ModelMessage[]
  /** Names of the tools the model is offered; absent for all there are. */
  readonly tools?: readonly string[]
}

/** A part of a model call that one plugin alone decides about. */
export type RequestField = 'tools' | keyof RequestOverride
