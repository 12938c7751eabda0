import type { CallPlan, SuspensionHead } from '../../src/domain/call-plan.ts'
import type { UserMessage } from '../../src/domain/message.ts'
import type { Outcome, RunError } from '../../src/domain/outcome.ts'
import type { Usage } from '../../src/domain/usage.ts'
import type { Answer } from '../model-call/model-call.types.ts'
import type { DecisionHead, ToolCallEvent, ToolCallInput, ToolCallReport } from '../tool-call/tool-call.types.ts'

/** The phases plugins may listen to (requirement PH-01). */
export type Phase =
  | 'runStart'
  | 'stepStart'
  | 'beforeInference'
  | 'afterInference'
  | 'stepEnd'
  | 'beforeToolExecute'
  | 'afterToolExecute'
  | 'runEnd'

export type LimitCode = 'max_turns' | 'max_tokens' | 'max_duration' | 'max_tool_interactions' | 'max_cost'

/** What happens at a limit: end with a note, end in error, or ask once more for a final answer. */
export type LimitAction = 'stop' | 'error' | 'finish'

export interface Limit {
  readonly code: LimitCode
  /** Turns, tokens, milliseconds, model calls or US dollars. */
  readonly max: number
  readonly action: LimitAction
}

/** Width of the executor: how many calls of a round form a batch, and whether a suspension stops it. */
export interface Executor {
  /** Null puts every call into one batch. */
  readonly batchSize: number | null
  readonly stopsOnSuspension: boolean
}

/** Fixed when the run is created and stored with it. */
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
  /** Phases somebody listens to; the others are never entered. */
  readonly watched: readonly Phase[]
}

/** A call the run still needs; the rest of its plan lives in its actor. */
export interface CallEntry {
  readonly callId: string
  readonly isExclusive: boolean
  readonly waits: boolean
  readonly callHash: string
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
  readonly paths: readonly string[]
}

/** The calls of the current turn. */
export interface Round {
  readonly batches: readonly (readonly string[])[]
  /** Index of the batch that runs now; -1 while a replay keeps the first one from starting. */
  readonly batch: number
  /** How each gated call came out first; calls never gated do not count. */
  readonly firsts: { readonly [callId: string]: 'suspended' | 'settled' }
}

/** Equal calls with equal results in a row. */
export interface Streak {
  readonly callHash: string
  readonly resultHash: string
  readonly count: number
}

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
  readonly calls: { readonly [callId: string]: CallEntry }
  /** Decisions taken in and not yet handed to their calls. */
  readonly decisions: readonly DecisionHead[]
  readonly round: Round
  readonly answer: Answer | null
  readonly streak: Streak | null
  /** An ending that waits for the gate. */
  readonly ending: Ending | null
  /** True while results were published that no model call has read. */
  readonly isUnheard: boolean
  /** True from leaving `waiting` to the next model call. */
  readonly isResumed: boolean
  /** The user's messages until they are in the log, which is before the first commit. */
  readonly input: readonly UserMessage[]
  readonly isFinishing: boolean
  /** What the cancel note says was going on; null for none. */
  readonly cancelNote: string | null
  readonly outcome: Outcome | null
}

export interface Ending {
  readonly reason: 'natural_end' | 'plugin_requested' | 'stopped'
  readonly code?: string
  /** The user note appended when the ending is made. */
  readonly note?: string
}

/** The part of XState's arguments that the functions of the chart read. */
export interface RunArgs {
  readonly context: RunContext
}

/** What an action changes of the context. */
export type RunPatch = Partial<RunContext>

/** XState's `spawn`, as far as a run uses it: one actor a call, under the call's id. */
export type SpawnCall = (src: 'toolCall', options: { readonly id: string; readonly input: ToolCallInput }) => unknown

/** XState's `enqueue`, as far as a run uses it: events to its calls. */
export interface CallSender {
  sendTo(callId: string, event: ToolCallEvent): void
}

export interface RunInput {
  readonly options: RunOptions
  readonly messages: readonly UserMessage[]
}

/** What a phase's plugins ask for together. */
export interface PhaseVerdict {
  /** Ends the run: `plugin_requested`, or `stopped(code)` where a code is given. */
  readonly terminate?: { readonly code?: string }
  /** Suspensions of the run itself. */
  readonly holds?: readonly CallPlan[]
  readonly at: number
}

export interface RunPhaseInput {
  readonly phase: Phase
  /** True for the run start that follows a wait. */
  readonly isResumed?: boolean
  readonly turn: number
}

export type RunEvent =
  | { readonly type: 'decision.received'; readonly decision: DecisionHead; readonly at: number }
  | { readonly type: 'call.cancelRequested'; readonly callId: string; readonly text: string; readonly at: number }
  /** `isEarly` where a call of the model was about to be made and never was. */
  | { readonly type: 'run.cancelRequested'; readonly isEarly?: boolean; readonly at: number }
  /** A stored run is driven on. */
  | { readonly type: 'run.woken'; readonly at: number }
  | { readonly type: 'run.failed'; readonly error: RunError; readonly at: number }
  | ToolCallReport

export interface RunOutput {
  readonly outcome: Outcome
}

/** What the run tells whoever watches; sent on after the commit that holds it. */
export type RunAnnouncement =
  | { readonly type: 'run.started' | 'run.resumed' | 'run.waiting' | 'run.ended' }
  | { readonly type: 'turn.started' | 'turn.ended'; readonly turn: number }
  | { readonly type: 'calls.dropped'; readonly names: readonly string[]; readonly turn: number }
