import type { AccountLimit } from '../../src/core/domain/account.ts'
import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { RequestHead } from '../../src/core/domain/request-plan.ts'
import type { Usage } from '../../src/core/domain/usage.ts'
import type { RunError } from '../../src/core/domain/outcome.ts'

/** The input of a model call. */
export interface ModelCallInput {
  readonly turn: number
  /** True for one last call without tools, which a limit with `finish` allows. */
  readonly isFinishing: boolean
  /** True if the last answer did not fit the output contract; else absent. */
  readonly isCorrecting?: boolean
  /** Retries per model; 0 turns them off. */
  readonly maxRetries: number
  /** Models to turn to once retries are spent. */
  readonly fallbacks: number
  /** The plugins' plan; the same at each attempt. */
  readonly request?: RequestHead
}

/** The memory of a model call between its attempts. */
export interface ModelCallContext extends ModelCallInput {
  /** Failed attempts at the current model; they raise the backoff. */
  readonly failures: number
  /** 0 is the model asked first, which a plugin may have chosen, then the agent's others in their order. */
  readonly modelIndex: number
  /** Parts of a truncated answer that have come; the next attempt continues them. */
  readonly continuations: number
  /** Times new credentials were asked for; a model call does so once at most. */
  readonly refreshes: number
  /** Times the prompt was made smaller for a model that refused it as too long; a model call does so once at most. */
  readonly recoveries: number
  /** Times a summary was asked for; a model call does so once at most. */
  readonly summaries: number
  /**
   * The reason for which the model refused a request with new pictures or files. Later attempts leave them out. Null
   * without such a refusal; a model call leaves them out once at most.
   */
  readonly refusal: string | null
  /** Unix milliseconds; when the next attempt may start. */
  readonly retryAt: number
}

/** The outcome of a model call, for the run. */
export type ModelCallOutcome =
  | { readonly status: 'answered'; readonly answer: Answer }
  | {
      readonly status: 'failed'
      readonly error: RunError
      /** True if the same may be answered another time, with another key or by another model. */
      readonly isUnavailable: boolean
      /** The limit of the family's account that leaves too little for a request; else absent. */
      readonly limit?: AccountLimit
      /** True if somebody is asked to raise the limit; else absent. */
      readonly isAsked?: boolean
      readonly at: number
    }
  | RefusedAnswer

/** An answer that a plugin refused. Only the reason and the cost are kept. */
export interface RefusedAnswer extends Pick<Answer, 'usage' | 'cost' | 'startedAt' | 'at'> {
  readonly status: 'refused'
  /** The plugin's reason. */
  readonly reason: string
}

/** The relation of an answer to the output contract. */
export type Misfit =
  /** The text that the model receives, so that it answers again. */
  | { readonly kind: 'issues'; readonly text: string }
  /** The contract itself failed: its builder or its schema threw. */
  | { readonly kind: 'broken'; readonly error: RunError }

/** The facts about a model's answer; the message itself is in the log. */
export interface Answer {
  /** Sequence number of the assistant message. */
  readonly seq: number
  readonly calls: readonly CallPlan[]
  /** Names of calls of lower priority, taken out of the message. */
  readonly dropped: readonly string[]
  /** Absent if the answer fits the output contract, or there is none. */
  readonly misfit?: Misfit
  readonly usage: Usage
  /** US dollars, if the model's prices are known. */
  readonly cost: number
  /** Unix milliseconds; when the attempt that answered began. */
  readonly startedAt?: number
  /** Unix milliseconds. */
  readonly at: number
}

/** The input of one attempt. */
export interface CallModelInput
  extends
    Omit<ModelCallInput, 'maxRetries' | 'fallbacks'>,
    Pick<ModelCallContext, 'modelIndex' | 'failures' | 'continuations'> {
  /** True once a summary was asked for; else absent. */
  readonly isSummarised?: boolean
  /** The reason for leaving out the new pictures and files; absent if they are sent. */
  readonly refusal?: string
}

/** The end of one attempt. `retryAt` is set if the failure may be retried, never if it is refreshable. */
export type Attempted =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | ({ readonly kind: 'refused' } & Omit<RefusedAnswer, 'status'>)
  /** `parts` of the answer have come, this one included; fewer than before if a crash has lost the others. */
  | { readonly kind: 'truncated'; readonly parts: number }
  /** The model was not asked, because the prompt is to be made smaller by a summary first. */
  | { readonly kind: 'outgrown' }
  | {
      readonly kind: 'failed'
      readonly error: RunError
      readonly retryAt: number | null
      /** True if the credentials were refused and the model has a way to get new ones. */
      readonly isRefreshable?: boolean
      /** True if the prompt was refused as too long. */
      readonly isOverflow?: boolean
      /** The refusal of a request with pictures or files that the model had not answered before; else absent. */
      readonly refusal?: string
      /** The limit of the family's account, for which the model was not asked; else absent. */
      readonly limit?: AccountLimit
      /** True if somebody is asked to raise the limit; else absent. */
      readonly isAsked?: boolean
      /** True if another key or another model would mend it. */
      readonly isMendable?: boolean
      readonly at: number
    }

/** The model call whose prompt is compacted. */
export type CompactPromptInput = Pick<CallModelInput, 'turn' | 'modelIndex' | 'isSummarised' | 'refusal' | 'request'>

/** The result of a compaction: a smaller prompt, or the need of a summary. */
export type Compacted = { readonly kind: 'compacted' } | { readonly kind: 'outgrown' }

/** The model call whose prompt is summarised. */
export interface SummariseInput extends Omit<CompactPromptInput, 'isSummarised'> {
  /** True if the model has refused the prompt as too long; else absent. */
  readonly isRefused?: boolean
}

/** The cost of a summary, usable or not. */
export type Summarised = Pick<Answer, 'usage' | 'cost' | 'at'>

/** The report of a model call to its run before it ends. */
export interface ModelCallReport extends Summarised {
  readonly type: 'modelCall.paid'
}

/** The model whose credentials are refreshed. */
export interface RefreshCredentialsInput {
  readonly modelIndex: number
  /** The model asked first, if a plugin has chosen it. */
  readonly model?: string
}

/** The result of a refresh: new credentials, or none. */
export type Refreshed =
  | { readonly kind: 'refreshed' }
  | { readonly kind: 'failed'; readonly error: RunError; readonly at: number }
