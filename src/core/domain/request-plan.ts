import type { ModelMessage } from './message.ts'

/** How much a model thinks before it answers; each wire maps it to its own words. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high'

/** The settings of one model call that replace the agent's own. */
export interface RequestOverride {
  /** `provider/id` of the agent's model or of one of its fallbacks. The others are asked after it, in their order. */
  readonly model?: string
  readonly thinking?: ThinkingLevel
  readonly temperature?: number
  /** Output tokens. */
  readonly maxTokens?: number
  /** `none` forbids tool calls. */
  readonly toolChoice?: 'auto' | 'none'
  /** True demands a call of some tool; a name demands a call of that tool. `toolChoice: 'none'` wins over it. */
  readonly requiredCall?: true | string
}

/**
 * What plugins ask of one model call. It is JSON, and is kept in the log of the run, so that a restart asks the same.
 */
export interface RequestPlan extends RequestOverride {
  /** Sent after the transcript and in no log. */
  readonly messages?: readonly ModelMessage[]
  /** Names of the tools the model is offered; absent for all there are. */
  readonly tools?: readonly string[]
}

/**
 * Stands for a plan that is in the log, as its value `request`. Earlier versions have stored the plan itself in its place;
 * that is read for ever and written no more.
 */
export interface RequestHead {
  readonly isLogged: true
  /** The model the plan chooses. */
  readonly model?: string
}

/** A part of a model call that one plugin alone decides about. */
export type RequestField = 'tools' | keyof RequestOverride
