import type { ResumeMode, StateChange, ToolEffects } from '../domain/call.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type { ImageContent, TextContent } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Suspension, SuspensionTicket } from '../domain/suspension.ts'
import type { OutputOf, Schema } from './schema.ts'

/**
 * What a tool's `execute` is given beside its arguments, which are a copy of its own. Once the tool has returned,
 * thrown, timed out or been cancelled, nothing it still calls here has an effect.
 */
export interface ToolContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  readonly callId: string
  readonly toolName: string
  /** 1 for the first performance of this call; those that ended with their process, and retries, count. */
  readonly attempt: number
  /**
   * Number of the lease this process drives the run under. A process that was stopped and comes back late has a lower
   * one than whoever took over: what a tool writes to can refuse a fence lower than the last it has seen.
   */
  readonly fence: number
  /** Derived from run, call and argument revision; the same for every performance of the call. */
  readonly idempotencyKey: string
  /** Fires on cancel and time-out; a tool that ignores it holds nothing up. */
  readonly signal: AbortSignal
  /** The decision that let a suspended call run again. */
  readonly decision?: StoredDecision
  /** What the decision answered; of a call that was interrupted while it went on from a question, with the question's parameters. */
  readonly suspension?: Suspension
  /** The run's state document as this call may see it; frozen, so a write to it throws: changes go through `patch`. */
  readonly state: Json
  /** Asks for changes of the state document as they are now, applied when the call's round is; one that cannot be applied fails the call. */
  patch(changes: readonly StateChange[]): void
  /**
   * Does a part of the work once: what `perform` gives is on record before this resolves, and a later performance of the
   * call with the same arguments (after a crash, a retry, a suspension) gets it from there, without performing. Only what
   * has finished is on record: a process that dies between the two has done it unseen, so hand `idempotencyKey` with the
   * name on to the outside. The result is plain JSON or undefined, and comes back as the copy that was stored; those of
   * one call may have 50,000,000 bytes together. It is the tool's own memory: no `onResult` of a plugin is shown it. Each step is one commit that writes the steps before it again: for a
   * handful of costly parts, not for each item of a long list.
   *
   * Rejects with whatever `perform` throws, which is not recorded; with the reason of `signal` once the call was cancelled
   * or has timed out; with a `UsageError` of code `step_repeated` for a name asked for before in this performance, and of
   * code `bad_step` for a name of none or more than 200 characters, for a result that is no JSON or too large, and for a
   * step still under way when the tool returned.
   */
  step<Value>(name: string, perform: () => Value | Promise<Value>): Promise<Value>
  /** Ends this performance and suspends the call; return its value from `execute`. */
  suspend(ticket?: SuspensionTicket): Suspended
  /** Status text for whoever watches; never stored. Of more than 10,000 characters the first are told. */
  progress(text: string): void
  /** A partial result for whoever watches; never stored. One of more than 1,000,000 bytes of JSON is told without its value. */
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
 * A result spelled out; anything else JSON that `execute` returns becomes its text. Of more than 50,000,000 bytes of
 * JSON, or nested more than 200 deep, it becomes an error result, as does what is not JSON.
 */
export interface ToolResult {
  readonly content: readonly (TextContent | ImageContent)[]
  /**
   * Default `success`. An `error` is a result the model can correct, not a failure of the run; `pending`
   * suspends the call with the text as its message.
   */
  readonly status?: 'success' | 'warning' | 'error' | 'pending'
  /** Kept in the transcript, never sent to the model. */
  readonly details?: Json
  /** The run that did the work, where the tool had another one do it. Kept in the transcript, never sent to the model. */
  readonly childRunId?: string
}

/**
 * An object that `JSON.stringify` makes JSON of, whatever its type is called: an interface, fields that are optional. What
 * it would make nothing of is no such object, as a function, a `Map`, a `Set` or a promise.
 */
export type JsonLike = object & { readonly [Symbol.hasInstance]?: never; readonly [Symbol.toStringTag]?: never }

/**
 * What `execute` may give back: a text, any JSON, an object of any type that becomes JSON, a result spelled out, the mark of
 * `ctx.suspend()`, or nothing.
 */
export type ToolReturn = string | Json | JsonLike | ToolResult | Suspended | undefined

/** Whether a call of this tool has to be approved first. */
export type ToolNeeds<Input> = 'approval' | ((input: Input) => boolean | 'approval' | Promise<boolean | 'approval'>)

/** What a tool's `preview` is given beside its arguments. */
export interface PreviewContext extends Pick<ToolContext, 'runId' | 'run' | 'callId' | 'toolName' | 'state'> {
  /** Fires when the run is cancelled, or after the agent's `hookTimeoutMs`: whoever is to decide is asked without a preview then. */
  readonly signal: AbortSignal
}

/**
 * How a tool that failed is tried again. A failure is an error result, a throw or a time-out; not arguments that do not
 * fit, a suspension or a cancel. A performance that ran out of time may still be at work beside the next one: its signal
 * has fired, and its steps are refused. The model, and the transcript, hear of the last failure only.
 */
export interface ToolRetry {
  /**
   * Performances that may fail, the first included: a whole number of 1 or more. Those whose process died count in
   * `ctx.attempt` and not here; after a suspension the count starts anew.
   */
  readonly attempts: number
  /** Milliseconds before the second one, with a jitter of ±20 %; each further wait is twice as long. Default 1,000. */
  readonly baseMs?: number
  /** Milliseconds no wait exceeds. Default 30,000. */
  readonly maxMs?: number
}

/** A tool as the engine takes it; `tool()` makes one whose arguments have the type of their schema. */
export interface Tool {
  readonly name: string
  /** For people; default: the name. */
  readonly label?: string
  /** Its name where it comes from, such as an operation id, where that is another one. */
  readonly sourceName?: string
  readonly description: string
  /** What else its source says of it, such as the annotations of an MCP server. An approval counts for these alone. */
  readonly annotations?: JsonObject
  readonly input: Schema
  readonly output?: Schema
  readonly needs?: ToolNeeds<never>
  /** What may be done with a call whose process died while it ran. Default `once`: ask. */
  readonly effects?: ToolEffects
  /** Tries a performance that failed again; for effects `none` and `idempotent` only. Default: none is. */
  readonly retry?: ToolRetry
  /** Default `replay`. */
  readonly resume?: ResumeMode
  /** Of one turn only the highest priority runs. Default 0. */
  readonly priority?: number
  /** `exclusive` runs alone in any executor. */
  readonly concurrency?: 'exclusive'
  /** Milliseconds; default: the agent's, else none. `Infinity` is none, whatever the agent's is. */
  readonly timeoutMs?: number
  /**
   * What a call of these arguments would do, for whoever is to approve it: any JSON of at most 400,000 bytes, stored as
   * `preview` of the suspension; undefined for none. Asked where `needs` wants approval, again after a crash, so it must
   * change nothing. One that throws or is too large says so in its place, and the call is asked about all the same.
   */
  preview?(input: never, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  execute(input: never, context: ToolContext): ToolReturn | Promise<ToolReturn>
}

/** A tool of which the compiler knows the name and the schemas, so that events of its calls are typed by them. */
export interface NamedTool<Name extends string, S extends Schema, O extends Schema> extends Tool {
  readonly name: Name
  readonly input: S
  readonly output?: O
}

/** What `tool()` is given; a field means what it means in `Tool`. */
export interface ToolOptions<S extends Schema, Name extends string = string, O extends Schema = Schema> extends Omit<
  Tool,
  'name' | 'input' | 'output' | 'needs' | 'preview' | 'execute'
> {
  readonly name: Name
  readonly input: S
  readonly output?: O
  readonly needs?: ToolNeeds<OutputOf<S>>
  preview?(input: OutputOf<S>, context: PreviewContext): Json | undefined | Promise<Json | undefined>
  execute(input: OutputOf<S>, context: ToolContext): ToolReturn | Promise<ToolReturn>
}
