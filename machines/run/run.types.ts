import type { AccountLimit } from '../../src/core/domain/account.ts'
import type { CallPlan, SuspensionHead } from '../../src/core/domain/call-plan.ts'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { InputMessage, Message } from '../../src/core/domain/message.ts'
import type { Outcome, RunError } from '../../src/core/domain/outcome.ts'
import type { InputPlace } from '../../src/core/domain/payload.ts'
import type { RequestHead } from '../../src/core/domain/request-plan.ts'
import type { Usage } from '../../src/core/domain/usage.ts'
import type { Answer, ModelCallReport } from '../model-call/model-call.types.ts'
import type { DecisionHead, ToolCallEvent, ToolCallInput, ToolCallReport } from '../tool-call/tool-call.types.ts'
import type { LoopPhase, Phase } from './run.phases.ts'
import type { FilterInput, Queued, QueuedKind, QueueMode, Rejection } from './run.input-types.ts'

/** The subject of a limit; also the code of the outcome. */
export type LimitCode = 'max_turns' | 'max_tokens' | 'max_duration' | 'max_tool_interactions' | 'max_cost'

/**
 * The action at a limit: end with a note, end in error, ask once more for a final answer, or wait until somebody adds to the
 * account. Only tokens and cost have an account.
 */
export type LimitAction = 'stop' | 'error' | 'finish' | 'ask'

/** A limit of one run, kept across waits and restarts. */
export interface Limit {
  readonly code: LimitCode
  /** Turns, tokens, milliseconds, model calls or US dollars. */
  readonly max: number
  readonly action: LimitAction
}

/** The width of the executor: the number of calls in a batch, and whether a suspension stops the round. */
export interface Executor {
  /** Null puts every call into one batch. */
  readonly batchSize: number | null
  readonly stopsOnSuspension: boolean
}

/**
 * The options that are stored with a run when it is created. Only `watched` and `fallbacks` come from the code that
 * drives the run now.
 */
export interface RunOptions {
  readonly executor: Executor
  readonly onPartialSuspension: 'continue' | 'wait'
  readonly decisions: 'immediate' | 'gate'
  readonly limits: readonly Limit[]
  /** Equal calls with equal results before a note is added; 0 turns detection off. */
  readonly repeatLimit: number
  readonly stopsOnRepeat: boolean
  readonly maxRetries: number
  readonly fallbacks: number
  /** The number of queued messages that a turn processes. */
  readonly queueModes: { readonly [kind in QueuedKind]: QueueMode }
  /** The reaction to unreachable models, after retries and fallbacks. */
  readonly onModelFailure: 'end' | 'wait'
  /** The maximum consecutive corrections of answers that do not fit the output contract. */
  readonly outputRetries: number
  /** The phases with code; the states of all others are never entered. */
  readonly watched: readonly Phase[]
}

/**
 * A call the run still needs; the rest of its plan lives in its actor.
 *
 * The chart of a call is in one of seven states. Its record has the same seven: the runtime writes them after each step,
 * and the chart writes the last one. The run cannot look into its calls, so its entry has four words for what the run has
 * asked of a call and heard from it.
 *
 * | Entry | Chart and record | The entry is set by |
 * |---|---|---|
 * | `new` | `new` | entering the round |
 * | `active` | `new` at the call gate, `running`, `resuming`, `suspended` until it reports | `startBatch`, `takeHolds`, `markApplied`, a suspension that is decided at once |
 * | `suspended` | `suspended` | `toolCall.suspended` |
 * | `settled` | `succeeded`, `failed`, `cancelled` | `toolCall.settled` |
 */
export interface CallEntry extends Pick<CallPlan, 'callId' | 'isExclusive' | 'blocksRun' | 'callHash'> {
  /** True for a suspension of the run itself. */
  readonly isHold: boolean
  readonly status: 'new' | 'active' | 'suspended' | 'settled'
  readonly suspension: SuspensionHead | null
  /** True once its slot shows the placeholder. */
  readonly hasPlaceholder: boolean
  /** True for a call a decision made run again. */
  readonly isReplay: boolean
  /** True once its place among equal calls has been counted while it was open. */
  readonly isPassed: boolean
  readonly resultHash: string | null
  /** The state paths that the call changes, joined by `/`. */
  readonly paths: readonly string[]
}

/** The calls of the current turn. */
export interface Round {
  readonly batches: readonly (readonly string[])[]
  /** Index of the batch that runs now; -1 while a replay keeps the first one from starting. */
  readonly batch: number
  /** The first call that came through the call gate and settled at once; states stored before name every first outcome. */
  readonly firsts: { readonly [callId: string]: 'suspended' | 'settled' }
}

/** A sequence of equal calls with equal results. */
export interface Streak {
  readonly callHash: string
  readonly resultHash: string
  readonly count: number
}

/**
 * The memory of a run: ids, counters, statuses. `ending` alone says how the run ends or why it waits; three fields
 * beside it change the path to that end: `isUnheard`, `isResumed`, `isLastCall`.
 */
export interface RunContext {
  readonly options: RunOptions
  /** Model calls started. */
  readonly turn: number
  readonly usage: Usage
  readonly cost: number
  /** Milliseconds spent running, up to `since`. */
  readonly elapsedMs: number
  /** Unix milliseconds of the last event counted into `elapsedMs`; 0 before the first. */
  readonly since: number
  /** Milliseconds of running time after which what is in flight is ended; null for any. */
  readonly allowedMs: number | null
  /**
   * The running time in milliseconds after which the last hook is abandoned, if the hook was called after the time was
   * over; null without one.
   */
  readonly hooksUntilMs: number | null
  /** The calls that the run still needs, by their ids. */
  readonly calls: { readonly [callId: string]: CallEntry }
  /** Processed decisions that their calls have not received yet. */
  readonly decisions: readonly DecisionHead[]
  readonly round: Round
  readonly answer: Answer | null
  /** True from the start of a turn to its answer. */
  readonly isUnanswered: boolean
  /** The plugins' plan for the current or the next model call; null without one. */
  readonly request: RequestHead | null
  readonly streak: Streak | null
  /** The place of the run's first messages. */
  readonly input: InputPlace
  /** The warnings of input filters, until the log has them with the last user message. */
  readonly warnings: readonly string[]
  /** Steering and follow-ups in the order they came; none is left out in silence (requirement AGT-03). */
  readonly queue: readonly Queued[]
  /** True from an answer that does not fit the output contract, or was refused, to the next one. */
  readonly isCorrecting: boolean
  /** Answers that did not fit or were refused, since the last that was taken. */
  readonly corrections: number
  /** Answers that plugins refused; each was an interaction, and none a turn. */
  readonly refusals: number
  readonly ending: Ending
  /** True while results were published that no model call has read. */
  readonly isUnheard: boolean
  /** True from leaving `waiting` to the next model call. */
  readonly isResumed: boolean
  /** True once a limit allows one last call of the model, without tools. */
  readonly isLastCall: boolean
  /** The limit of the family's account that left too little for the last asking; null for none. */
  readonly exhausted: AccountLimit | null
  /** Calls that were blocked and whose permission is to be asked for. */
  readonly requested: readonly string[]
  /** Finished holds for permissions that have not been reported to the manager. */
  readonly answered: readonly string[]
  /** The reasons that came with the answers to these holds, by call id. */
  readonly reasons: { readonly [callId: string]: string }
}

/**
 * The end of a run, as far as it is known.
 *
 * | Kind | Begins | Leaves |
 * |---|---|---|
 * | `none` | with the run; if a plan is forgotten or put off | – |
 * | `planned` | an answer without calls, a plugin, a limit, a repeated call, a denied hold | made by `conclude`; put off by a message, forgotten for a result nobody has heard |
 * | `made` | `conclude`, `suspendRun`, a cancel, an error, a refused prompt | a wait by `resumeRun`, an end that somebody puts off by `reopen` |
 */
export type Ending =
  | { readonly kind: 'none' }
  /** Certain once the resume gate lets it; until then the run may wait first. */
  | { readonly kind: 'planned'; readonly plan: PlannedOutcome }
  | {
      readonly kind: 'made'
      /** The end of the run, or its wait. */
      readonly outcome: Outcome
      /** The user note appended with the end; absent for none. */
      readonly note?: string
      /** The plan after a wait; absent without one. */
      readonly plan?: PlannedOutcome
    }

/** The end of a run once its calls are committed and none is suspended. The run may wait first. */
export interface PlannedOutcome extends Pick<Outcome, 'code' | 'error'> {
  readonly reason: 'natural_end' | 'plugin_requested' | 'stopped'
  /** The user note appended when it becomes the outcome. */
  readonly note?: string
}

/** The part of XState's arguments that the functions of the chart read. */
export interface RunArgs {
  readonly context: RunContext
}

/** The change of the context by an action. */
export type RunPatch = Partial<RunContext>

/** XState's `spawn`, as far as a run uses it: one actor a call, under the call's id. */
export type SpawnCall = (src: 'toolCall', options: { readonly id: string; readonly input: ToolCallInput }) => unknown

/** XState's `enqueue`, as far as a run uses it: events to its calls. */
export interface CallSender {
  sendTo(callId: string, event: ToolCallEvent): void
}

/** The input of a run. */
export interface RunInput {
  readonly options: RunOptions
  readonly messages: readonly InputMessage[]
  /** For a context builder; the messages say the same as JSON. */
  readonly value?: Json
}

/** The reason of a hold. */
export interface HoldRunInput {
  readonly error: RunError
}

/** The joined requests of a phase's plugins. */
export interface PhaseVerdict {
  /** Ends the run: `plugin_requested`, or `stopped(code)` if a code is given. */
  readonly terminate?: { readonly code?: string }
  /** Suspensions of the run itself. */
  readonly holds?: readonly CallPlan[]
  /** The plan for the next model call, null without one; absent if the phase may not plan. */
  readonly request?: RequestHead | null
  readonly at: number
}

/** The question that a run asks in a phase around its loop or its turns. */
export interface LoopAsk {
  readonly phase: LoopPhase
  /** True for the run start that follows a wait. */
  readonly isResumed?: boolean
  readonly turn: number
  /** True for an `afterTurn` after a turn without an answer. */
  readonly isUnanswered?: boolean
  /** Tokens of the whole run, for `afterRun`. */
  readonly usage?: Usage
  /** The error that ends the run, for `onError`. */
  readonly error?: RunError
}

/** The milliseconds of running time that are left; null without a limit. */
export interface KeepTimeInput {
  readonly forMs: number | null
}

/** The end of the running time, in Unix milliseconds. */
export interface TimeOver {
  readonly at: number
}

/** The events of a run, from outside and from its calls. */
export type RunEvent =
  | { readonly type: 'decision.received'; readonly decision: DecisionHead; readonly at: number }
  | { readonly type: 'call.cancelRequested'; readonly callId: string; readonly text: string; readonly at: number }
  /** `isEarly` if a call of the model was about to be made and never was; `why` is the reason that somebody gave. */
  | { readonly type: 'run.cancelRequested'; readonly isEarly?: boolean; readonly why?: string; readonly at: number }
  /** A stored run is driven on; what was driven until `awakeUntil`, if it is known, is running time. */
  | { readonly type: 'run.woken'; readonly at: number; readonly awakeUntil?: number }
  | { readonly type: 'run.failed'; readonly error: RunError; readonly at: number }
  /** Steering, or a follow-up. */
  | { readonly type: 'message.queued'; readonly queued: Queued; readonly at: number }
  /** A message no model is sent, for the transcript. */
  | { readonly type: 'message.posted'; readonly message: Message; readonly at: number }
  | ToolCallReport
  | ModelCallReport

/** The output of a finished run. */
export interface RunOutput {
  readonly outcome: Outcome
}

/** An announcement of the run, which is emitted after the commit that contains it. */
export type RunAnnouncement =
  | { readonly type: 'run.started' | 'run.resumed' | 'run.waiting' | 'run.ended' }
  | { readonly type: 'turn.started' | 'turn.ended'; readonly turn: number }
  | { readonly type: 'calls.dropped'; readonly names: readonly string[]; readonly turn: number }
  | { readonly type: 'input.rejected'; readonly kind: FilterInput['kind']; readonly rejection: Rejection }
  | { readonly type: 'hook.failed'; readonly error: RunError }
