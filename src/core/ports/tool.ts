import type { TraceContext } from '../domain/trace-context.ts'
import type { ResumeMode, StateChange, ToolEffects } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json, JsonObject } from '../domain/text/json.ts'
import type { RuleFields } from '../domain/match-rules.ts'
import type { ShownContent, ToolErrorCode } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import type { InputOf, OutputOf, Schema } from './schema.ts'
import type { ServiceContract } from './service-contract.ts'

/**
 * The context of a tool's `execute`, besides its arguments, which are its own copy. After the tool has returned,
 * thrown, timed out or been cancelled, calls of these functions have no effect.
 */
export interface ToolContext {
  readonly runId: string
  /** The data that the run received at its start. */
  readonly run: RunDetails
  readonly callId: string
  readonly toolName: string
  /**
   * 1 for the first performance of this call. It counts the performances that have ended, such as failed ones that are
   * retried. It also counts each driver that has claimed the run since this performance was requested. Nothing is
   * written when a tool starts, so such a driver may have performed the tool, or may have ended before. A number above
   * 1 means that the tool may have run before.
   */
  readonly attempt: number
  /**
   * The number of the lease under which this process drives the run. A process that was paused and continues late has a
   * lower number than the process that took over. The system that a tool writes to can therefore reject a fence lower
   * than the last it has seen.
   */
  readonly fence: number
  /** Derived from run, call and argument revision; the same for every performance of the call. */
  readonly idempotencyKey: string
  /** The trace headers that the tool's own requests should have; absent if the agent has no tracer. */
  readonly trace?: TraceContext
  /** Fires on cancel and timeout. A tool that ignores it delays nothing. */
  readonly signal: AbortSignal
  /** The decision that resumed a suspended call. */
  readonly decision?: StoredDecision
  /**
   * The suspension that the decision answered. If a call was interrupted while it continued after a question, this also
   * has the question's parameters.
   */
  readonly suspension?: Suspension
  /** The run's state document for this call. It is frozen, so a write to it throws; use `patch` for changes. */
  readonly state: Json
  /**
   * Requests changes of the current state document. They are applied when the call's round is published. A change that
   * cannot be applied fails the call.
   */
  patch(changes: readonly StateChange[]): void
  /**
   * Performs a part of the work once. The result of `perform` is stored before this resolves. A later performance of
   * the call with the same arguments (after a crash, a retry, a suspension) gets the stored value and does not call
   * `perform`. Only a finished step is stored. A process may die after `perform` and before the write, so pass
   * `idempotencyKey`, together with the name, to the outside. The result is plain JSON or undefined, and the stored
   * copy is returned. The results of one call may have 50,000,000 bytes together. They belong to the tool: no
   * `onToolValue` of a plugin receives them. Each step is one commit that writes the earlier steps again, so use steps
   * for a few costly parts, not for each item of a long list.
   *
   * Rejects with the error of `perform`, which is not stored; with the reason of `signal` after the call was cancelled
   * or timed out; with a `UsageError` of code `step_repeated` for a name that was used before in this performance, and
   * of code `bad_step` for a name with no or more than 200 characters, for a result that is not JSON or too large, and
   * for a step that is unfinished when the tool returns.
   */
  step<Value>(name: string, perform: () => Value | Promise<Value>): Promise<Value>
  /** Ends this performance and suspends the call; return its value from `execute`. */
  suspend(ticket?: SuspensionTicket): Suspended
  /** Emits a status text for observers; never stored. At most 10,000 characters of it are emitted. */
  progress(text: string): void
  /** Emits a partial result for observers; never stored. Beyond 1,000,000 bytes of JSON its value is left out. */
  update(partial: ToolReturn): void
}

/** The value that `ctx.suspend()` returns. */
export class Suspended {
  readonly ticket: SuspensionTicket
  constructor(ticket: SuspensionTicket) {
    this.ticket = ticket
  }
}

/**
 * A result with all its fields. Any other JSON from `execute` becomes the text of a result. A value that is not JSON,
 * has more than 50,000,000 bytes of JSON, or is nested more than 200 deep becomes an error result.
 */
export interface ToolResult {
  readonly content: readonly ShownContent[]
  /**
   * Default `success`. An `error` is a result that the model can correct, not a failure of the run. `pending` suspends
   * the call with the text as its message.
   */
  readonly status?: 'success' | 'warning' | 'error' | 'pending'
  /** The code of an error; default `failed`. */
  readonly code?: ToolErrorCode
  /** Kept in the transcript and never sent to the model. */
  readonly details?: Json
  /** The run that did the work, if the tool delegated it. Kept in the transcript and never sent to the model. */
  readonly childRunId?: string
}

/**
 * An object that `JSON.stringify` converts to JSON, of any type, such as an interface or an object with optional
 * fields. Values without a JSON form do not fit: a function, a `Map`, a `Set` or a promise.
 */
export type JsonLike = object & { readonly [Symbol.hasInstance]?: never; readonly [Symbol.toStringTag]?: never }

/**
 * The return value of `execute`: a text, any JSON, an object of any type that becomes JSON, a result with all its
 * fields, the value of `ctx.suspend()`, or undefined.
 */
export type ToolReturn = string | Json | JsonLike | ToolResult | Suspended | undefined

/** The rule that decides whether a person must approve a call of this tool first. */
export type ToolNeeds<Input> = 'approval' | ((input: Input) => boolean | 'approval' | Promise<boolean | 'approval'>)

/** The context of a tool's `preview`, besides its arguments. */
export interface PreviewContext extends Pick<ToolContext, 'runId' | 'run' | 'callId' | 'toolName' | 'state'> {
  /** Fires when the run is cancelled, or after `limits.pluginTimeoutMs`; then the person is asked without a preview. */
  readonly signal: AbortSignal
}

/**
 * The retries of a failed tool. A failure is an error result, an exception or a timeout. Invalid arguments, a
 * suspension and a cancel are not failures. A performance that timed out may still be running beside the next one; its
 * signal has fired, and its steps are rejected. The model and the transcript receive only the last failure.
 */
export interface ToolRetry {
  /**
   * The maximum number of failed performances, including the first: a whole number of 1 or more. Drivers that took the
   * run over count in `ctx.attempt` and not here. After a suspension the count starts again.
   */
  readonly attempts: number
  /** Milliseconds before the second performance, with a jitter of ±20 %; each further wait doubles. Default 1,000. */
  readonly baseMs?: number
  /** The maximum wait in milliseconds. Default 30,000. */
  readonly maxMs?: number
}

/** The question whether an earlier performance of a call has acted. */
export interface ProbeQuestion<Input = unknown> extends Pick<
  ToolContext,
  'runId' | 'run' | 'callId' | 'toolName' | 'idempotencyKey' | 'attempt' | 'signal'
> {
  /** The checked arguments of the call. */
  readonly arguments: Input
}

/**
 * The answer of a probe. `done` has what `execute` would have returned. After `notDone`, the call runs again only with
 * `runAgain: true`, by which the tool promises that it passes `idempotencyKey` on, so that a late first performance is
 * recognised; otherwise a person is asked. `unknown` asks a person and shows them the evidence.
 */
export type ProbeAnswer =
  | { readonly status: 'done'; readonly result: ToolReturn }
  | { readonly status: 'notDone'; readonly runAgain?: boolean }
  | { readonly status: 'unknown'; readonly evidence?: Json }

/**
 * Finds out what an earlier call of a foreign tool has done. `ask` performs another operation or tool of the same server,
 * which must only read, by its own name there; it resolves with the result, also with a failed one.
 */
export type ProbeBy = (
  question: ProbeQuestion<JsonObject>,
  ask: (name: string, given: JsonObject) => Promise<ToolResult | ToolReturn>,
) => ProbeAnswer | Promise<ProbeAnswer>

/** A tool as the engine receives it; `tool()` returns one whose arguments have the type of their schema. */
export interface Tool {
  /** The name that the model calls: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** The name for people; default: the tool's name. */
  readonly label?: string
  /** The tool's name at its source, such as an operation id, if it is another one. */
  readonly sourceName?: string
  /** Describes the tool to the model. */
  readonly description: string
  /** The kind of its source, for permission policies. Default `tool`. */
  readonly kind?: 'tool' | 'mcp' | 'service'
  /** Other data from its source, such as the annotations of an MCP server. An approval applies to exactly these. */
  readonly annotations?: JsonObject
  /** The schema of the arguments: a Standard Schema, such as one of Zod, or a JSON Schema. */
  readonly input: Schema
  /** The schema of the value that `execute` returns. A value that does not fit makes the call fail. */
  readonly output?: Schema
  /**
   * `ignored` accepts any text for a `format` of its JSON Schemas. Default `checked`: a text must fit the formats
   * `date-time`, `date`, `time`, `email`, `uri`, `uuid`, `ipv4` and `ipv6`; other formats are annotations.
   */
  readonly formats?: 'checked' | 'ignored'
  /** The service that its calls are sent to; nothing is executed. The option `services` of an agent sets it. */
  readonly service?: ServiceContract
  readonly needs?: ToolNeeds<never>
  /** The policy for a call whose process died while it ran. Default `once`: a person is asked. */
  readonly effects?: ToolEffects
  /** Retries a failed performance; only for effects `none` and `idempotent`. Default: no retry. */
  readonly retry?: ToolRetry
  /** The resume mode. Default `replay`. */
  readonly resume?: ResumeMode
  /** The priority: in one turn only the calls of the highest priority run. Default 0. */
  readonly priority?: number
  /**
   * The fields of the arguments that are a command line or a path for the rules of an agent. For a path, the function
   * resolves it as the tool does, relative to the tool's root. Rules read other texts unchanged.
   */
  readonly ruleFields?: RuleFields
  /** `exclusive` runs alone in any executor. */
  readonly concurrency?: 'exclusive'
  /**
   * True if each call gets a receipt at once, and the tool works in the background, in a run of its own without the state
   * of this run. Its result follows as a message. Only for tools in an agent's list. Default false.
   */
  readonly background?: boolean
  /** True if a run continues during calls that wait for their sub-agent. `agent.asTool` sets it. Default false. */
  readonly continue?: boolean
  /**
   * The time limit of one performance in milliseconds. A repeated performance after a crash, a retry or a suspension
   * has the full time again. Default: the agent's value, or no limit. `Infinity` means no limit, regardless of the
   * agent's value.
   */
  readonly timeoutMs?: number
  /**
   * Returns the effect of a call with these arguments, for the person who approves it. Any JSON of at most 400,000
   * bytes, stored as `preview` of the suspension; undefined for none. Called if `needs` requires an approval, and again
   * after a crash, so it must not change anything. If it throws or is too large, a text that says so replaces it, and
   * the person is asked all the same.
   */
  preview?(input: never, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  /**
   * Finds out whether an earlier performance of a `once` call has acted, and changes nothing. It is asked after the process
   * died or lost the run while the call may have been running, and after a time-out, before a person is asked. It has 10 s
   * and three tries; a probe that throws, is late or answers in another form knows nothing.
   */
  probe?(question: never): ProbeAnswer | Promise<ProbeAnswer>
  /** Does the work, with checked arguments. An exception becomes an error result, which the model reads. */
  execute(input: never, context: ToolContext): ToolReturn | Promise<ToolReturn>
}

/** A tool whose name and schemas are known to the compiler. They determine the types of its calls' events. */
export interface NamedTool<Name extends string, S extends Schema, O extends Schema> extends Tool {
  readonly name: Name
  readonly input: S
  readonly output?: O
}

/** The options of `tool()`. Each field has its meaning in `Tool`. */
export interface ToolOptions<S extends Schema, Name extends string = string, O extends Schema = Schema> extends Omit<
  Tool,
  'name' | 'input' | 'output' | 'needs' | 'preview' | 'probe' | 'execute'
> {
  readonly name: Name
  readonly input: S
  readonly output?: O
  readonly needs?: ToolNeeds<OutputOf<S>>
  preview?(input: OutputOf<S>, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  probe?(question: ProbeQuestion<OutputOf<S>>): ProbeAnswer | Promise<ProbeAnswer>
  execute(input: OutputOf<S>, context: ToolContext): ReturnOf<O> | Promise<ReturnOf<O>>
}

/** The return type of `execute` for a tool with this `output`: a value of the schema, a failure or a question. */
export type ReturnOf<O extends Schema> =
  unknown extends InputOf<O>
    ? ToolReturn
    : (InputOf<O> & ToolReturn) | (ToolResult & { readonly status: 'error' | 'pending' }) | Suspended
