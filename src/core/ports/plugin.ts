import type { CallRecord, StateChange } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { AssistantMessage, Message, ModelMessage, UserMessage } from '../domain/message.ts'
import type { RunError } from '../domain/outcome.ts'
import type { RequestOverride } from '../domain/request-plan.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { SuspensionTicket } from '../domain/suspension.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { Usage } from '../domain/usage.ts'
import type { FilterAnswer, FilterContext } from './input-filter.ts'
import type { FoundMemory, MemoryQuery } from './memory.ts'
import type { ModelRequest } from './model.ts'
import type { ContextBuilderInput, RunInstructions } from './run-instructions.ts'
import type { ToolResult, ToolReturn } from './tool.ts'

/** The context of every phase. Its view of the run is frozen: a write to it throws. */
export interface PhaseContext {
  readonly runId: string
  /** The data that the run received at its start. */
  readonly run: RunDetails
  /** The number of started model calls, including the next one, or the one that the phase is about. */
  readonly turn: number
  readonly state: Json
  readonly signal: AbortSignal
  /** The position of its work in a trace, for its own requests; absent if the agent has no tracer. */
  readonly trace?: TraceContext
  messages(): readonly Message[]
}

/** The context of a phase that may change the state of the run. */
export interface PatchContext extends PhaseContext {
  patch(changes: readonly StateChange[]): void
}

/** The context of a phase that may end the run. */
export interface EndingPhaseContext extends PatchContext {
  /** Ends the run: `plugin_requested`, or with a code `stopped(code)`, before which the round of this turn finishes. */
  terminate(code?: string): void
}

/** The context of the phases before the model call. No model call follows a `terminate`. */
export interface LoopPhaseContext extends EndingPhaseContext {
  /** Appends a message to the transcript with the next commit. */
  append(message: Message): void
}

/**
 * The context of the phase right before the model call. Its changes apply to this one model call with all its attempts,
 * and are kept with the run until the answer arrives. If two plugins set one field, the first plugin wins, and the
 * event `plugin.conflict` names the other. The messages of all plugins are sent, in their order.
 */
export interface BeforeModelContext extends LoopPhaseContext {
  /** Names of all available tools. */
  readonly tools: readonly string[]
  /** `provider/id` of the agent's model and its fallbacks, in their order. */
  readonly models: readonly string[]
  /** Adds messages after the transcript, in this prompt only; no transcript contains them. */
  addMessages(messages: readonly ModelMessage[]): void
  /** Selects the tools of this step by name. A call of another tool fails. An unknown name is a `TypeError`. */
  chooseTools(names: readonly string[]): void
  /** Replaces the agent's own settings. An unknown model, tool or field is a `TypeError`. */
  override(settings: RequestOverride): void
}

/** The context of `transformRequest`, besides the request. Its view of the run is frozen. */
export interface RequestContext extends Pick<PhaseContext, 'runId' | 'turn' | 'state' | 'signal'> {
  /** `provider/id` of the requested model, which is a fallback if other models were unavailable. */
  readonly model: string
}

/** The context of the phases around a tool, which are asked for each call. */
export interface CallPhaseContext extends PhaseContext {
  readonly call: CallRecord
  /** A copy of the arguments; changes to it have no effect. */
  readonly arguments: Json
  /** The decision that a replay carries out. */
  readonly decision?: StoredDecision
}

/** The context of a phase before a call runs, which may change the state of the run. */
export interface GateContext extends CallPhaseContext, PatchContext {}

/** The context of the phases around an update of a tool; `text` is the update, as JSON if it is not a text. */
export interface UpdateContext extends PhaseContext {
  readonly call: CallRecord
  readonly text: string
}

/** The context of `afterTurn` and `afterRun`, with the tokens of the turn's model call or of the whole run. */
export interface UsageContext extends PhaseContext {
  readonly usage: Usage
}

/** The context of `onError`, with the error that ends the run. */
export interface ErrorContext extends PhaseContext {
  readonly error: RunError
}

/** The context at the start of a run, and each time the run leaves `waiting`. */
export interface RunStartContext extends LoopPhaseContext {
  /** True if the run leaves `waiting`. */
  readonly isResumed: boolean
  /** Suspends the run before any model call. Resuming continues it; cancelling ends it with `plugin_requested`. */
  suspend(ticket?: SuspensionTicket): void
}

/** A plugin's answer before a tool executes. No answer can allow a call that other plugins stop. */
export type GateAnswer =
  | { readonly block: string }
  | { readonly result: ToolReturn }
  /** After an approved suspension by a gate, the replay passes the gates once, unless `evenIfApproved` is true. */
  | { readonly suspend: SuspensionTicket; readonly evenIfApproved?: boolean }
  | undefined
  | void

/** The context of `reviewCall`. `call` has the result; earlier plugins may have rewritten it. */
export interface ReviewContext extends GateContext {
  /** Replaces the call's own result. Has no effect while the call is suspended. */
  rewrite(result: ToolReturn): void
  append(message: Message): void
}

/** The values of a call from outside, by kind. A result from a person or a plugin is treated like a tool's own. */
export interface ToolValues {
  readonly result: ToolResult
  readonly error: ToolResult
  readonly progress: string
  readonly update: Json
  /** The question of a suspension, with the preview of a call that waits for approval. */
  readonly question: SuspensionTicket
}

/** One frozen value of a call from outside. */
export type ToolValue = {
  readonly [Kind in keyof ToolValues]: {
    readonly call: Pick<CallRecord, 'callId' | 'toolCallId' | 'toolName'>
    readonly kind: Kind
    readonly value: ToolValues[Kind]
  }
}[keyof ToolValues]

/** The answer to a phase that can stop the next step. `false` stops it; undefined and `true` continue. */
export type HookAnswer = boolean | void | Promise<boolean | void>

/** The context of `onAnswer`. */
export interface AnswerContext extends RequestContext {
  /** False for a text that is still growing, which only a plugin with an `answerWindow` is shown. */
  readonly isWhole: boolean
}

/**
 * A verdict on an answer: other content replaces its own, or it is refused for a reason that the model reads. Its
 * metadata, usage and cost stay.
 */
export type AnswerVerdict = Pick<AssistantMessage, 'content'> | { readonly refuse: string }

/**
 * A plugin: code that a run calls at its phases (requirements PH-01 to PH-04). Plugins are called in their order. A
 * plugin that throws, exceeds `limits.pluginTimeoutMs`, or returns an invalid answer ends the run with an error that
 * names the plugin and the phase. Its requests after its end are ignored. It is called again after a crash that
 * prevented its commit. `before…` runs before the event of that name, and `after…` after it; other phases run before
 * both.
 *
 * @example
 * const careful: Plugin = {
 *   name: 'careful',
 *   beforeModel: ({ turn, terminate }) => (turn > 20 ? terminate('too_long') : undefined),
 *   gateCall: ({ call }) => (call.toolName === 'delete' ? { block: 'Nothing is deleted here.' } : undefined),
 *   onError: ({ error }) => console.error(error.message),
 * }
 */
export interface Plugin {
  readonly name: string
  /** Called once per run, before `run.started`. False: nothing runs, and the run is done `stopped(before_loop)`. */
  beforeRun?(context: PhaseContext): HookAnswer
  /** Examines a prompt, steering or a follow-up before a model does. The first rejection ends the filtering. */
  filterInput?(messages: readonly UserMessage[], context: FilterContext): FilterAnswer | Promise<FilterAnswer>
  /** Returns memories that may matter for the input, once per run. A failure is reported, and the run continues. */
  recall?(query: MemoryQuery): readonly FoundMemory[] | Promise<readonly FoundMemory[]>
  /** Returns the instructions of a run, once, from its input and the previous plugin's; they are stored. */
  buildContext?(input: ContextBuilderInput): RunInstructions | Promise<RunInstructions>
  runStart?(context: RunStartContext): void | Promise<void>
  stepStart?(context: LoopPhaseContext): void | Promise<void>
  beforeModel?(context: BeforeModelContext): void | Promise<void>
  /** Called before `turn.started`. False: no turn, and the run is done with `stopped(before_turn)`. */
  beforeTurn?(context: PhaseContext): HookAnswer
  /**
   * Returns the messages of one model call, at each attempt, before media are masked and the prompt is compacted. The
   * messages are not stored. Every call in them still gets exactly one result.
   */
  buildPrompt?(
    messages: readonly ModelMessage[],
    context: RequestContext,
  ): readonly ModelMessage[] | Promise<readonly ModelMessage[]>
  /**
   * Returns the request to send instead of this one. Called at each attempt, after the plugins before this one. It may
   * remove tools, but must not add any. The request is not stored.
   */
  transformRequest?(
    request: Omit<ModelRequest, 'signal'>,
    context: RequestContext,
  ): Omit<ModelRequest, 'signal'> | Promise<Omit<ModelRequest, 'signal'>>
  /**
   * Judges a whole answer before any event of it is emitted and before its calls are planned; undefined accepts it.
   * Nothing of a refused answer is kept and none of its calls runs: the model is asked again, at most
   * `limits.outputRetries` times, and then the run is done with `stopped(answer_refused)`. While a plugin has this
   * member, no part of an answer is emitted before the answer is complete, or before it has left the `answerWindow`.
   * Its exceptions are not stored.
   */
  onAnswer?(
    answer: AssistantMessage,
    context: AnswerContext,
  ): AnswerVerdict | undefined | void | Promise<AnswerVerdict | undefined | void>
  /**
   * The number of characters at the end of a growing answer that `onAnswer` holds back; without it the whole answer. The
   * plugin is then shown the text so far again and again, and may replace only what has not been released.
   */
  readonly answerWindow?: number
  afterModel?(context: EndingPhaseContext): void | Promise<void>
  stepEnd?(context: PatchContext): void | Promise<void>
  /** Called before a call executes, and again in a replay. No answer can allow a call that other plugins stop. */
  gateCall?(context: GateContext): GateAnswer | Promise<GateAnswer>
  /**
   * Called before a call executes that the gate allows, also in a replay. False: the tool does not run, and the call
   * fails with `Tool execution skipped by the beforeToolExecution hook.`
   */
  beforeTool?(context: CallPhaseContext): HookAnswer
  /**
   * Returns the value to store instead of a value from outside; both have the same kind. Called before any commit,
   * event and other phase, after the plugins before this one. It must be synchronous; a promise is rejected. If it
   * throws, the run ends with the plugin's name, and neither the value nor the exception is stored or emitted. It may
   * receive a value that it returned before. It does not receive values of `ctx.step`, which belong to the tool.
   */
  onToolValue?(given: ToolValue): ToolValue['value']
  /** Called before a partial result is emitted. False: it is not emitted. */
  beforeUpdate?(context: UpdateContext): HookAnswer
  /** Called after a partial result was emitted. */
  afterUpdate?(context: UpdateContext): HookAnswer
  /** Called for every call that passed the gate, when its result is known. */
  reviewCall?(context: ReviewContext): void | Promise<void>
  /** Called after a call that executed, after every review; also after a suspended one, which has no result. */
  afterTool?(context: CallPhaseContext): HookAnswer
  /** Called after `turn.ended`. */
  afterTurn?(context: UsageContext): HookAnswer
  /** Called once, if the run ends in an error (requirement PH-04). */
  onError?(context: ErrorContext): HookAnswer
  runEnd?(context: PatchContext): void | Promise<void>
  /** Called once per run, after `run.ended`. */
  afterRun?(context: UsageContext): HookAnswer
}
