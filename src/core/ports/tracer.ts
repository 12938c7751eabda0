import type { CallRecord } from '../domain/call.ts'
import type { DecisionAction } from '../domain/decision.ts'
import type { AssistantMessage, Message, ModelMessage } from '../domain/message.ts'
import type { TraceContext } from '../domain/trace-context.ts'

/** A run as a tracer receives it. */
export interface TracedRun {
  readonly runId: string
  /** The name of the agent. */
  readonly agent: string
  /** The subject of the run, such as a conversation. */
  readonly subject: string
  /** The stored position in a trace at which the run began; absent for a new run, and for an untraced one. */
  readonly traceparent?: string
}

/** An effect before its performance. */
export interface TracedEffect {
  /** The charts' name of the effect, such as `callModel` or `runTool`. */
  readonly src: string
  readonly input: unknown
  /** The run's current transcript and calls. */
  readonly view: TracedView
}

/** The part of a run that a tracer may read. */
export interface TracedView {
  messages(): readonly Message[]
  /** Returns the message at a sequence number. */
  message(seq: number): Message | undefined
  call(callId: string): CallRecord | undefined
}

/** The end of an effect: a result, its handler's exception, or a cancel. */
export type TracedEnd =
  | {
      /** The output for the charts; undefined if it is known only after the write. */
      readonly output: unknown
      /** The messages that the effect appends to the transcript, and the results that it gives to calls. */
      readonly messages: readonly Message[]
      readonly results: readonly Message[]
    }
  | { readonly error: unknown }
  | { readonly isCancelled: true }

/** Work in progress; `End` is the type of its end. */
export interface WorkTrace<End> {
  /** The position in the trace for the work's own requests; absent without a trace. */
  readonly context?: TraceContext
  /** Calls the function so that the work that it starts belongs to this work. */
  within<T>(perform: () => T): T
  end(end: End): void
}

/**
 * A request to a model. One effect makes at most one; it makes none if its prompt is too large. Each is paid for: a
 * first attempt, a further part of a truncated answer, the last answer at a limit, a fallback model, a summary.
 */
export interface TracedAsk {
  readonly provider: string
  readonly model: string
  /** The messages of the request. */
  readonly messages: readonly ModelMessage[]
}

/** The end of a request to a model: its answer with usage and cost, its error, or a cancel. */
export type TracedAnswer =
  | { readonly answer: AssistantMessage }
  | { readonly error: unknown }
  | { readonly isCancelled: true }

/** One effect during its performance. */
export interface EffectTrace extends WorkTrace<TracedEnd> {
  /** Opens the trace of a request to a model that this effect is about to make. Default: requests are not traced. */
  asking?(ask: TracedAsk): WorkTrace<TracedAnswer> | undefined
}

/** A run while one process drives it: from its start or a wait to the next rest. */
export interface RunTrace {
  /** The trace position to store with a new run; absent without a trace. */
  readonly traceparent?: string | undefined
  performing(effect: TracedEffect): EffectTrace | undefined
  /** Called once a commit holds the end of a call's wait. The wait may have begun in another process. */
  waited?(wait: TracedWait): void
  /** Called when the run waits, is done, or is left to another process. */
  end(rest: TracedRest): void
}

/** The wait of a suspended call. Times are Unix milliseconds. */
export interface TracedWait {
  /** The call as it was suspended; its suspension has the reason of the wait. */
  readonly call: CallRecord
  /** The time of the suspension. */
  readonly startedAt: number
  /** The time of the decision, or of the cancel. */
  readonly endedAt: number
  /** Absent if the call was cancelled without a decision: it has expired, or its run ended. */
  readonly decision?: { readonly action: DecisionAction; readonly by?: string }
}

/** The state in which a process left a run. */
export interface TracedRest {
  readonly status: 'waiting' | 'done' | 'left'
  /** The reason of its wait or end. */
  readonly reason?: string
  /** The error that ended it. */
  readonly error?: { readonly code?: string }
}

/** Traces runs for a system that shows their time and cost. Exceptions are ignored; arguments must not be changed. */
export interface Tracer {
  /** Called before a run is stored, or when a process begins to drive a stored one. */
  open(run: TracedRun): RunTrace
}
