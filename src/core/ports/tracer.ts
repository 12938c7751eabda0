import type { CallRecord } from '../domain/call.ts'
import type { AssistantMessage, Message, ModelMessage } from '../domain/message.ts'
import type { TraceContext } from '../domain/trace-context.ts'

/** A run as a tracer is told of it. */
export interface TracedRun {
  readonly runId: string
  /** Name of the agent. */
  readonly agent: string
  /** What the run is about, such as a conversation. */
  readonly subject: string
  /** Where the run began in a trace, as it was stored with the run; absent for a new one, and one that began untraced. */
  readonly traceparent?: string
}

/** An effect that is about to be performed. */
export interface TracedEffect {
  /** The name the charts have it by, such as `callModel` or `runTool`. */
  readonly src: string
  readonly input: unknown
  /** The run's transcript and calls as they stand. */
  readonly view: TracedView
}

/** What a tracer may read of a run. */
export interface TracedView {
  messages(): readonly Message[]
  /** The message at a sequence number. */
  message(seq: number): Message | undefined
  call(callId: string): CallRecord | undefined
}

/** How an effect ended: with a result, with what its handler threw, or unwanted. */
export type TracedEnd =
  | {
      /** What the charts hear; undefined where that is known only once it is written. */
      readonly output: unknown
      /** Messages it appends to the transcript, and results it gives to calls. */
      readonly messages: readonly Message[]
      readonly results: readonly Message[]
    }
  | { readonly error: unknown }
  | { readonly isCancelled: true }

/** Work while it is performed; `End` is how it ended. */
export interface WorkTrace<End> {
  /** The place in the trace that requests of the work carry on; absent when nothing is traced. */
  readonly context?: TraceContext
  /** Calls the function so that the work it starts belongs to this work. */
  within<T>(perform: () => T): T
  end(end: End): void
}

/**
 * A request to a model. One effect may make none, because its prompt has outgrown its room, or one. Each is paid: a first
 * attempt, a further part of an answer that was cut off, the last answer at a limit, a fallback model, a summary.
 */
export interface TracedAsk {
  readonly provider: string
  readonly model: string
  /** The messages that are sent. */
  readonly messages: readonly ModelMessage[]
}

/** The end of a request to a model: its answer with its own usage and cost, its error, or that nobody wants it any more. */
export type TracedAnswer =
  | { readonly answer: AssistantMessage }
  | { readonly error: unknown }
  | { readonly isCancelled: true }

/** One effect while it is performed. */
export interface EffectTrace extends WorkTrace<TracedEnd> {
  /** Opens the trace of a request to a model that this effect is about to make. Default: no request is traced. */
  asking?(ask: TracedAsk): WorkTrace<TracedAnswer> | undefined
}

/** A run while one process drives it: from its start or a wait to the next rest. */
export interface RunTrace {
  /** To be stored with a new run; absent where nothing is traced. */
  readonly traceparent?: string | undefined
  performing(effect: TracedEffect): EffectTrace | undefined
  /** The run waits, is done, or is left to another process. */
  end(rest: TracedRest): void
}

/** How a process left a run. */
export interface TracedRest {
  readonly status: 'waiting' | 'done' | 'left'
  /** Why it waits or ended. */
  readonly reason?: string
  /** What ended it, where that was an error. */
  readonly error?: { readonly code?: string }
}

/**
 * Follows runs for a system that shows where time and money went. What it throws is ignored. It must not change what it
 * is given.
 */
export interface Tracer {
  /** A run is about to be stored, or a process begins to drive one that is. */
  open(run: TracedRun): RunTrace
}
