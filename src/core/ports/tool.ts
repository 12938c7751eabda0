import type { TraceContext } from '../domain/trace-context.ts'
import type { ResumeMode, StateChange, ToolEffects } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json, JsonObject } from '../domain/text/json.ts'
import type { RuleFields } from '../domain/match-rules.ts'
import type { ImageContent, TextContent, ToolErrorCode } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import type { InputOf, OutputOf, Schema } from './schema.ts'
import type { ServiceContract } from './service-contract.ts'

/**
 * What a tool's `execute` gets beside its arguments, which are a copy of its own. Once the tool has returned, thrown,
 * timed out or been cancelled, calls of these functions have no effect.
 */
export interface ToolContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  readonly callId: string
  readonly toolName: string
  /**
   * 1 for the first performance of this call. It counts the performances that have come back, such as failed ones that
   * are tried again. It also counts each driver that has claimed the run since this performance was asked for. Nothing
   * is written when a tool starts, so such a driver may have performed the tool, or may have ended before. A number
   * above 1 says that the tool may have run before.
   */
  readonly attempt: number
  /**
   * Number of the lease under which this process drives the run. A process that was stopped and comes back late has a
   * lower number than the process that took over. So the system that a tool writes to can refuse a fence lower than the
   * last it has seen.
   */
  readonly fence: number
  /** Derived from run, call and argument revision; the same for every performance of the call. */
  readonly idempotencyKey: string
  /** What requests of the tool should carry on, as headers of these names; absent where the agent has no tracer. */
  readonly trace?: TraceContext
  /** Fires on cancel and time-out. A tool that ignores it delays nothing. */
  readonly signal: AbortSignal
  /** The decision that let a suspended call run again. */
  readonly decision?: StoredDecision
  /**
   * The suspension that the decision answered. A call that was interrupted while it went on from a question also has
   * the question's parameters here.
   */
  readonly suspension?: Suspension
  /**
   * The run's state document as this call may see it. It is frozen, so a write to it throws; use `patch` for changes.
   */
  readonly state: Json
  /**
   * Asks for changes of the state document as it is now. They are applied when the call's round is. A change that
   * cannot be applied fails the call.
   */
  patch(changes: readonly StateChange[]): void
  /**
   * Does a part of the work once. What `perform` gives is on record before this resolves. A later performance of the
   * call with the same arguments (after a crash, a retry, a suspension) gets the recorded value and does not call
   * `perform`. Only a finished step is on record. A process may die after `perform` and before the record, so pass
   * `idempotencyKey`, together with the name, to the outside. The result is plain JSON or undefined, and comes back as
   * the copy that was stored. The results of one call may have 50,000,000 bytes together. They are the tool's own
   * memory: no `onToolValue` of a plugin sees them. Each step is one commit that writes the steps before it again. So use
   * steps for a handful of costly parts, not for each item of a long list.
   *
   * Rejects with whatever `perform` throws, which is not recorded; with the reason of `signal` once the call was
   * cancelled or has timed out; with a `UsageError` of code `step_repeated` for a name asked for before in this
   * performance, and of code `bad_step` for a name of none or more than 200 characters, for a result that is no JSON or
   * too large, and for a step still under way when the tool returned.
   */
  step<Value>(name: string, perform: () => Value | Promise<Value>): Promise<Value>
  /** Ends this performance and suspends the call; return its value from `execute`. */
  suspend(ticket?: SuspensionTicket): Suspended
  /** Status text for whoever watches; never stored. At most 10,000 characters of it are told. */
  progress(text: string): void
  /**
   * A partial result for whoever watches; never stored. One of more than 1,000,000 bytes of JSON is told without its
   * value.
   */
  update(partial: ToolReturn): void
}

/** The mark `ctx.suspend()` returns. */
export class Suspended {
  readonly ticket: SuspensionTicket
  constructor(ticket: SuspensionTicket) {
    this.ticket = ticket
  }
}

/**
 * A result with all its fields. Any other JSON that `execute` returns becomes the text of a result. A value that is no
 * JSON, has more than 50,000,000 bytes of JSON, or is nested more than 200 deep becomes an error result.
 */
export interface ToolResult {
  readonly content: readonly (TextContent | ImageContent)[]
  /**
   * Default `success`. An `error` is a result that the model can correct, not a failure of the run. `pending` suspends
   * the call with the text as its message.
   */
  readonly status?: 'success' | 'warning' | 'error' | 'pending'
  /** Of an error; default `failed`. */
  readonly code?: ToolErrorCode
  /** Kept in the transcript, never sent to the model. */
  readonly details?: Json
  /**
   * The run that did the work, where the tool let another run do it. Kept in the transcript, never sent to the model.
   */
  readonly childRunId?: string
}

/**
 * An object of which `JSON.stringify` makes JSON, whatever its type is called: an interface, or an object with optional
 * fields. Values of which it would make nothing do not fit: a function, a `Map`, a `Set` or a promise.
 */
export type JsonLike = object & { readonly [Symbol.hasInstance]?: never; readonly [Symbol.toStringTag]?: never }

/**
 * What `execute` may return: a text, any JSON, an object of any type that becomes JSON, a result with all its fields,
 * the mark of `ctx.suspend()`, or nothing.
 */
export type ToolReturn = string | Json | JsonLike | ToolResult | Suspended | undefined

/** Whether somebody must approve a call of this tool first. */
export type ToolNeeds<Input> = 'approval' | ((input: Input) => boolean | 'approval' | Promise<boolean | 'approval'>)

/** What a tool's `preview` is given beside its arguments. */
export interface PreviewContext extends Pick<ToolContext, 'runId' | 'run' | 'callId' | 'toolName' | 'state'> {
  /**
   * Fires when the run is cancelled, or after the agent's `limits.pluginTimeoutMs`; then the person is asked without a preview.
   */
  readonly signal: AbortSignal
}

/**
 * How a tool that failed is tried again. A failure is an error result, a throw or a time-out. Arguments that do not
 * fit, a suspension and a cancel are no failures. A performance that ran out of time may still be at work beside the
 * next one; its signal has fired, and its steps are refused. The model and the transcript get the last failure only.
 */
export interface ToolRetry {
  /**
   * Performances that may fail, the first included: a whole number of 1 or more. Drivers that took the run over
   * count in `ctx.attempt` and not here. After a suspension the count starts anew.
   */
  readonly attempts: number
  /** Milliseconds before the second one, with a jitter of ±20 %; each further wait is twice as long. Default 1,000. */
  readonly baseMs?: number
  /** The longest wait in milliseconds. Default 30,000. */
  readonly maxMs?: number
}

/** A tool as the engine takes it; `tool()` makes one whose arguments have the type of their schema. */
export interface Tool {
  readonly name: string
  /** For people; default: the name. */
  readonly label?: string
  /** The tool's name where it comes from, such as an operation id, where that name is another. */
  readonly sourceName?: string
  readonly description: string
  /** Where it comes from, as a permission policy tells tools apart. Default `tool`. */
  readonly kind?: 'tool' | 'mcp' | 'service'
  /** What else its source says of it, such as the annotations of an MCP server. An approval counts for these alone. */
  readonly annotations?: JsonObject
  readonly input: Schema
  /** What a value that `execute` returns must be. One that does not fit makes the call fail. */
  readonly output?: Schema
  /**
   * `ignored` takes any text for a `format` of its JSON Schemas. Default `checked`: a text must fit the formats
   * `date-time`, `date`, `time`, `email`, `uri`, `uuid`, `ipv4` and `ipv6`; other formats are notes for the reader.
   */
  readonly formats?: 'checked' | 'ignored'
  /** The service that its calls leave for; nothing is executed. It is given by the option `services` of an agent. */
  readonly service?: ServiceContract
  readonly needs?: ToolNeeds<never>
  /** What may be done with a call whose process died while it ran. Default `once`: somebody is asked. */
  readonly effects?: ToolEffects
  /** Tries a failed performance again; for effects `none` and `idempotent` only. Default: no retry. */
  readonly retry?: ToolRetry
  /** Default `replay`. */
  readonly resume?: ResumeMode
  /** In one turn only the calls of the highest priority run. Default 0. */
  readonly priority?: number
  /**
   * Which fields of the arguments are a command line, or a path, to the rules of an agent. For a path it is the function
   * that gives it as the tool resolves it, from its root. Rules look at other texts as they are.
   */
  readonly ruleFields?: RuleFields
  /** `exclusive` runs alone in any executor. */
  readonly concurrency?: 'exclusive'
  /**
   * Milliseconds that one performance may take. A performance that is repeated after a crash, a retry or a suspension
   * has the whole time again. Default: the agent's value, or no limit. `Infinity` is no limit, whatever the agent's
   * value is.
   */
  readonly timeoutMs?: number
  /**
   * What a call of these arguments would do, shown to the person who approves it. Any JSON of at most 400,000 bytes,
   * stored as `preview` of the suspension; undefined for none. It is asked where `needs` wants approval, and again
   * after a crash, so it must change nothing. A preview that throws or is too large is replaced by a text that says so,
   * and the call is asked about all the same.
   */
  preview?(input: never, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  execute(input: never, context: ToolContext): ToolReturn | Promise<ToolReturn>
}

/** A tool whose name and schemas the compiler knows. They give types to the events of its calls. */
export interface NamedTool<Name extends string, S extends Schema, O extends Schema> extends Tool {
  readonly name: Name
  readonly input: S
  readonly output?: O
}

/** The options of `tool()`. Each field means what it means in `Tool`. */
export interface ToolOptions<S extends Schema, Name extends string = string, O extends Schema = Schema> extends Omit<
  Tool,
  'name' | 'input' | 'output' | 'needs' | 'preview' | 'execute'
> {
  readonly name: Name
  readonly input: S
  readonly output?: O
  readonly needs?: ToolNeeds<OutputOf<S>>
  preview?(input: OutputOf<S>, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  execute(input: OutputOf<S>, context: ToolContext): ReturnOf<O> | Promise<ReturnOf<O>>
}

/** Value that \`execute\` of a tool with this \`output\` may return: a value of it, a failure or a question. */
export type ReturnOf<O extends Schema> =
  unknown extends InputOf<O>
    ? ToolReturn
    : (InputOf<O> & ToolReturn) | (ToolResult & { readonly status: 'error' | 'pending' }) | Suspended
