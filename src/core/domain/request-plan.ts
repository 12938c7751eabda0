import type { ModelMessage } from './message.ts'

/** The amount of a model's thinking before its answer; each wire maps it to its own values. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high'

/** The settings of one model call that replace the agent's own. */
export interface RequestOverride {
  /** `provider/id` of the agent's model or of a fallback. The others are asked after it, in their order. */
  readonly model?: string
  readonly thinking?: ThinkingLevel
  readonly temperature?: number
  /** The maximum output tokens. */
  readonly maxTokens?: number
  /** `none` forbids tool calls. */
  readonly toolChoice?: 'auto' | 'none'
  /** True requires a call of any tool; a name requires a call of that tool. `toolChoice: 'none'` overrides it. */
  readonly requiredCall?: true | string
}

/** The plugins' plan for one model call. It is JSON in the run's log, so that a restart makes the same request. */
export interface RequestPlan extends RequestOverride {
  /** Messages to send after the transcript, which are not stored. */
  readonly messages?: readonly ModelMessage[]
  /** Names of the offered tools; absent for all tools. */
  readonly tools?: readonly string[]
}

/** A reference to a plan in the log, stored there as the value `request`. */
export interface RequestHead {
  readonly isLogged: true
  /** The model that the plan selects. */
  readonly model?: string
}

/** A part of a model call that only one plugin may decide. */
export type RequestField = 'tools' | keyof RequestOverride
