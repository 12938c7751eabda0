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

/** What every phase gets. Its view of the run is frozen: a write to it throws. */
export interface PhaseContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  /** Model calls started, the next one included. */
  readonly turn: number
  readonly state: Json
  readonly signal: AbortSignal
  /** Where its work belongs in a trace, for requests of its own to carry on; absent where the agent has no tracer. */
  readonly trace?: TraceContext
  messages(): readonly Message[]
}

/** The context of a phase that may change the state of the run. */
export interface PatchContext extends PhaseContext {
  patch(changes: readonly StateChange[]): void
}

/** What a phase gets that may end the run. */
export interface EndingPhaseContext extends PatchContext {
  /** Ends the run: `plugin_requested`, or `stopped(code)`, with which the round of this turn finishes first. */
  terminate(code?: string): void
}

/** What the phases before the model call get. No model call follows a `terminate`. */
export interface LoopPhaseContext extends EndingPhaseContext {
  /** Appended to the transcript with the next commit. */
  append(message: Message): void
}

/**
 * What the phase just before the model call gets. What it asks for holds for this one model call, with each attempt of
 * it, and is kept with the run until the answer is there. Where two plugins set one field, the first plugin wins, and
 * the event `plugin.conflict` names the other. The messages of all plugins are sent, in their order.
 */
export interface BeforeModelContext extends LoopPhaseContext {
  /** Names of all tools there are. */
  readonly tools: readonly string[]
  /** `provider/id` of the agent's model and its fallbacks, in their order. */
  readonly models: readonly string[]
  /** Sent after the transcript, in this prompt only; no transcript holds them. */
  addMessages(messages: readonly ModelMessage[]): void
  /** The tools of this step, by name. A call of another tool fails. An unknown name is a `TypeError`. */
  chooseTools(names: readonly string[]): void
  /** Replaces the agent's own settings. An unknown model, tool or field is a `TypeError`. */
  override(settings: RequestOverride): void
}

/** What `transformRequest` gets beside the request. Its view of the run is frozen. */
export interface RequestContext {
  readonly runId: string
  /** Model calls started, this one included. */
  readonly turn: number
  /** `provider/id` of the model that is asked; it is a fallback where others could not be reached. */
  readonly model: string
  readonly state: Json
  readonly signal: AbortSignal
}

/** The context of the phases around a tool; each phase is asked for one call. */
export interface CallPhaseContext extends PhaseContext {
  readonly call: CallRecord
  /** A copy; changing it changes nothing. */
  readonly arguments: Json
  /** The decision that a replay answers to. */
  readonly decision?: StoredDecision
}

/** The context of a phase before a call runs, which may change the state of the run. */
export interface GateContext extends CallPhaseContext, PatchContext {}

/** The context of the phases around an update of a tool; `text` is the update, as JSON if it is no text. */
export interface UpdateContext extends PhaseContext {
  readonly call: CallRecord
  readonly text: string
}

/** The context of `afterTurn` and `afterRun`, with the tokens of the turn's model call or of the whole run. */
export interface UsageContext extends PhaseContext {
  readonly usage: Usage
}

/** The context of `onError`, with the error that the run ends in. */
export interface ErrorContext extends PhaseContext {
  readonly error: RunError
}

/** The start of a run, and each time it leaves `waiting`. */
export interface RunStartContext extends LoopPhaseContext {
  /** True when the run comes back from `waiting`. */
  readonly isResumed: boolean
  /** Suspends the run itself before any model call. Resuming goes on; cancelling ends the run `plugin_requested`. */
  suspend(ticket?: SuspensionTicket): void
}

/** What a plugin may answer before a tool executes. No answer lets a call pass that others stop. */
export type GateAnswer =
  | { readonly block: string }
  | { readonly result: ToolReturn }
  /** A replay passes once where a gate had asked and was approved, unless the plugin insists. */
  | { readonly suspend: SuspensionTicket; readonly evenIfApproved?: boolean }
  | undefined
  | void

/** The context of `reviewCall`. The result stands in `call`; plugins before this one may have rewritten it. */
export interface ReviewContext extends GateContext {
  /** Replaces the call's own result. Nothing happens while the call is suspended. */
  rewrite(result: ToolReturn): void
  append(message: Message): void
}

/**
 * What comes in from outside for a call, by its kind. A result that a person or a plugin gives comes in like a tool's
 * own.
 */
export interface ToolValues {
  readonly result: ToolResult
  readonly error: ToolResult
  readonly progress: string
  readonly update: Json
  /** What a suspension asks, with the preview of a call that waits for approval. */
  readonly question: SuspensionTicket
}

/** One value that comes in for a call, frozen. */
export type ToolValue = {
  readonly [Kind in keyof ToolValues]: {
    readonly call: Pick<CallRecord, 'callId' | 'toolCallId' | 'toolName'>
    readonly kind: Kind
    readonly value: ToolValues[Kind]
  }
}[keyof ToolValues]

/** The answer to a phase that can stop the next step. `false` stops it; nothing and `true` let it go on. */
export type HookAnswer = boolean | void | Promise<boolean | void>

/** The context of `onAnswer`. */
export interface AnswerContext extends RequestContext {
  /** False for a text that is still growing, which only a plugin with an `answerWindow` is shown. */
  readonly isWhole: boolean
}

/**
 * What becomes of an answer: it gets other content, or it is refused, for a reason that the model reads. What it was, what
 * it used and what it cost stays.
 */
export type AnswerVerdict = Pick<AssistantMessage, 'content'> | { readonly refuse: string }

/**
 * Code that a run asks at its phases (requirements PH-01 to PH-04). Plugins are asked in their order. A plugin that throws,
 * takes longer than `limits.pluginTimeoutMs`, or answers what the phase does not take ends the run with an error that names it and
 * the phase. What it asks for after it has ended is ignored. It is asked again after a crash where its commit had not
 * happened. `before…` runs before the event of that name, and `after…` after it; other phases come before both.
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
  /** Once a run, before `run.started`. False: nothing runs, and the run is done `stopped(before_loop)`. */
  beforeRun?(context: PhaseContext): HookAnswer
  /** Looks at a prompt, steering or a follow-up before a model does. The first rejection ends the asking. */
  filterInput?(messages: readonly UserMessage[], context: FilterContext): FilterAnswer | Promise<FilterAnswer>
  /** Gives what may matter to the input, once a run. What it cannot give is told, and the run goes on. */
  recall?(query: MemoryQuery): readonly FoundMemory[] | Promise<readonly FoundMemory[]>
  /** Makes the instructions of a run, once, from its input and those that the plugin before has made; they are stored. */
  buildContext?(input: ContextBuilderInput): RunInstructions | Promise<RunInstructions>
  runStart?(context: RunStartContext): void | Promise<void>
  stepStart?(context: LoopPhaseContext): void | Promise<void>
  beforeModel?(context: BeforeModelContext): void | Promise<void>
  /** Before `turn.started`. False: no turn, and the run is done `stopped(before_turn)`. */
  beforeTurn?(context: PhaseContext): HookAnswer
  /**
   * Makes the messages of one model call, at each attempt, before media are masked and the prompt is compacted. What it
   * gives is not stored. Whatever it gives, every call in it gets exactly one result.
   */
  buildPrompt?(
    messages: readonly ModelMessage[],
    context: RequestContext,
  ): readonly ModelMessage[] | Promise<readonly ModelMessage[]>
  /**
   * Gives the request that is sent in the place of this one. It is asked at each attempt, after the plugins before this
   * one. It may take tools out, but may not add any. What it gives is not stored.
   */
  transformRequest?(
    request: Omit<ModelRequest, 'signal'>,
    context: RequestContext,
  ): Omit<ModelRequest, 'signal'> | Promise<Omit<ModelRequest, 'signal'>>
  /**
   * Judges a whole answer before anybody is told of it and before its calls are planned. Nothing lets it pass. Nothing of
   * a refused answer is kept and none of its calls runs: the model is asked again, at most `limits.outputRetries` times, and
   * then the run is done `stopped(answer_refused)`. While some plugin has this member, no part of an answer is told before
   * the whole has come, or before it has left the `answerWindow`. What it throws is kept nowhere.
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
  /** Before a call executes, and again in a replay. No answer lets a call pass that others stop. */
  gateCall?(context: GateContext): GateAnswer | Promise<GateAnswer>
  /**
   * Before a call executes that the gate allows, also in a replay. False: the tool does not run, and the call has failed
   * with `Tool execution skipped by the beforeToolExecution hook.`
   */
  beforeTool?(context: CallPhaseContext): HookAnswer
  /**
   * Gives the value that is kept in place of one that comes in; both are of the same kind. It is asked before any
   * commit, any event and any other phase, after the plugins before this one. It answers at once; a promise is refused.
   * Where it throws, the run ends with the plugin's name, and neither the value nor what was thrown is stored or told.
   * It may be asked about a value that it gave before. It does not see values of `ctx.step`, which are the tool's own
   * memory.
   */
  onToolValue?(given: ToolValue): ToolValue['value']
  /** Before a partial result is told. False: it is not told. */
  beforeUpdate?(context: UpdateContext): HookAnswer
  /** After a partial result was told. */
  afterUpdate?(context: UpdateContext): HookAnswer
  /** After every call that came through the gate, once its result stands. */
  reviewCall?(context: ReviewContext): void | Promise<void>
  /** After a call that executed, once every plugin has reviewed it; also after a suspended one, which has no result. */
  afterTool?(context: CallPhaseContext): HookAnswer
  /** After `turn.ended`. */
  afterTurn?(context: UsageContext): HookAnswer
  /** Once, where the run ends in an error (requirement PH-04). */
  onError?(context: ErrorContext): HookAnswer
  runEnd?(context: PatchContext): void | Promise<void>
  /** Once a run, after `run.ended`. */
  afterRun?(context: UsageContext): HookAnswer
}
