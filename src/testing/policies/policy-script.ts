import type { Json } from '../../core/domain/text/json.ts'

/** A call of the scripted model, with the answers of plugins, functions and the tool about it. */
export interface PolicyCall {
  readonly tool: string
  readonly arguments: Json
  /** True if the tool asks for a value before it succeeds, or its sub-agent waits before it ends. Default: it succeeds. */
  readonly asks?: boolean
  /** True if the sub-agent of the tool ends in error. */
  readonly fails?: boolean
  /** The answer of the tool's `needs`, if it is a function. Default false. */
  readonly needs?: boolean
  /** The answer of a plugin's `gateCall`. Default: nothing. */
  readonly gate?: 'blocks' | 'suspends' | 'gives a result'
  /** The answer of the permission manager, if a policy function names tools. Default `approved`. */
  readonly manager?: 'approved' | 'denied' | 'requestable'
}

/** A move of somebody about a waiting run. */
export type PolicyAnswer =
  | 'approve'
  | 'approve for the run'
  | 'edit'
  | 'deny'
  | 'respond'
  | 'answer as the service'
  | 'fail as the service'
  | 'end as the sub-agent'
  | 'fail as the sub-agent'
  | 'let the time pass'
  | 'cancel the run'

/**
 * One move of a script: an answer of the model, an answer to a wait, or the next process after a crash. With `crash`, the
 * process dies right after this write of the move, counted from 1.
 */
export type PolicyMove = { readonly crash?: number } & (
  | {
      readonly kind: 'model'
      /** Empty for a text, which ends the run. */
      readonly calls: readonly PolicyCall[]
      /** US dollars. */
      readonly cost?: number
      /** True if a plugin ends the run after this answer. */
      readonly ends?: boolean
    }
  | {
      readonly kind: 'person'
      readonly does: PolicyAnswer
      /** The place of the call among those that wait, from 0. */
      readonly call: number
      readonly by?: string
      /** The edited arguments. */
      readonly input?: Json
    }
  | { readonly kind: 'restart' }
)

/** The moves that follow the start of a run. */
export type PolicyScript = readonly PolicyMove[]
