import type { CallRecord, StateChange } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import type { Message, ModelMessage } from '../domain/message.ts'
import type { RequestOverride } from '../domain/request-plan.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { SuspensionTicket } from '../domain/suspension.ts'
import type { ModelRequest } from './model.ts'
import type { ToolResult, ToolReturn } from './tool.ts'

/** What every phase is given. What it shows of the run is frozen: a write to it throws. */
export interface PhaseContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  /** Model calls started, the coming one included. */
  readonly turn: number
  readonly state: Json
  readonly signal: AbortSignal
  messages(): readonly Message[]
  patch(changes: readonly StateChange[]): void
}

/** What a phase is given that may end the run. */
export interface EndingPhaseContext extends PhaseContext {
  /** Ends the run: `plugin_requested`, or `stopped(code)`, which lets the round of this turn finish. */
  terminate(code?: string): void
}

/** What the phases before the model is asked are given; no model call follows a `terminate`. */
export interface LoopPhaseContext extends EndingPhaseContext {
  /** Appended to the transcript with the next commit. */
  append(message: Message): void
}

/**
 * What is given just before the model is asked. What it asks of the model call holds for this call alone, each attempt
 * of it included, and is kept with the run until the answer is there. For one field the first plugin keeps it, and the
 * event `plugin.conflict` names the other; messages of all of them are sent, in their order.
 */
export interface BeforeInferenceContext extends LoopPhaseContext {
  /** Names of all tools there are. */
  readonly tools: readonly string[]
  /** `provider/id` of the agent's model and its fallbacks, in their order. */
  readonly models: readonly string[]
  /** Sent after the transcript, in this prompt only; no transcript holds them. */
  addMessages(messages: readonly ModelMessage[]): void
  /** The tools of this step, by name; a call of another fails. An unknown name is a `TypeError`. */
  chooseTools(names: readonly string[]): void
  /** In the place of the agent's own settings. An unknown model, tool or field is a `TypeError`. */
  override(settings: RequestOverride): void
}

/** What `transformRequest` is given beside the request. What it shows of the run is frozen. */
export interface RequestContext {
  readonly runId: string
  /** Model calls started, this one included. */
  readonly turn: number
  /** `provider/id` of the model that is asked; a fallback once others could not be reached. */
  readonly model: string
  readonly state: Json
  readonly signal: AbortSignal
}

/** What the phases around a tool are given, for one call each. */
export interface CallPhaseContext extends PhaseContext {
  readonly call: CallRecord
  /** A copy; changing it changes nothing. */
  readonly arguments: Json
  /** The decision a replay answers to. */
  readonly decision?: StoredDecision
}

/** The start of a run, and each time it leaves `waiting`. */
export interface RunStartContext extends LoopPhaseContext {
  /** True when the run comes back from `waiting`. */
  readonly isResumed: boolean
  /** Suspends the run itself before any model call: resuming goes on, cancelling ends it `plugin_requested`. */
  suspend(ticket?: SuspensionTicket): void
}

/** What a plugin may say before a tool executes; nothing lets the call pass. */
export type GateAnswer =
  | { readonly block: string }
  | { readonly result: ToolReturn }
  /** A replay passes once where a gate had asked and was approved, unless the plugin insists. */
  | { readonly suspend: SuspensionTicket; readonly evenIfApproved?: boolean }
  | undefined
  | void

/** What `afterToolExecute` is given; the result stands in `call`, as the plugins before it have left it. */
export interface ReviewContext extends CallPhaseContext {
  /** Puts another result in the place of the call's own; nothing happens while the call is suspended. */
  rewrite(result: ToolReturn): void
  append(message: Message): void
}

/** What comes in from outside for a call, by its kind; a result a person or a plugin gives comes in like a tool's own. */
export interface ToolValues {
  readonly result: ToolResult
  readonly error: ToolResult
  readonly progress: string
  readonly update: Json
  /** What a suspension asks, and the preview of a call that is to be approved. */
  readonly question: SuspensionTicket
}

/** One of them, frozen. */
export type ToolValue = {
  readonly [Kind in keyof ToolValues]: {
    readonly call: Pick<CallRecord, 'callId' | 'toolCallId' | 'toolName'>
    readonly kind: Kind
    readonly value: ToolValues[Kind]
  }
}[keyof ToolValues]

/**
 * Code that listens to phases of a run (requirement PH-01). A throw ends the run with its name; so does handing over
 * what no log could hold. What a hook asks for once it has ended is not heard.
 *
 * @example
 * const careful: Plugin = {
 *   name: 'careful',
 *   beforeInference: ({ turn, terminate }) => (turn > 20 ? terminate('too_long') : undefined),
 *   beforeToolExecute: ({ call }) => (call.toolName === 'delete' ? { block: 'Nothing is deleted here.' } : undefined),
 * }
 */
export interface Plugin {
  readonly name: string
  runStart?(context: RunStartContext): void | Promise<void>
  stepStart?(context: LoopPhaseContext): void | Promise<void>
  beforeInference?(context: BeforeInferenceContext): void | Promise<void>
  /**
   * Gives the request that is sent in the place of this one; asked at each attempt, after the other plugins before it.
   * It may take tools out and add none. What it gives is kept nowhere.
   */
  transformRequest?(
    request: Omit<ModelRequest, 'signal'>,
    context: RequestContext,
  ): Omit<ModelRequest, 'signal'> | Promise<Omit<ModelRequest, 'signal'>>
  afterInference?(context: EndingPhaseContext): void | Promise<void>
  stepEnd?(context: PhaseContext): void | Promise<void>
  beforeToolExecute?(context: CallPhaseContext): GateAnswer | Promise<GateAnswer>
  afterToolExecute?(context: ReviewContext): void | Promise<void>
  /**
   * Gives what is kept in the place of a value, a value of its kind, asked as it comes in: before any commit, any event
   * and any other hook, after the plugins before it. It answers at once; a promise is refused. Where it throws, the run ends
   * with the plugin's name, and nothing of the value is stored or told, nor of what was thrown. What it has given it
   * may be asked about again. Values of `ctx.step` are the tool's own memory and are not shown to it.
   */
  onResult?(given: ToolValue): ToolValue['value']
  runEnd?(context: PhaseContext): void | Promise<void>
}
