import type { CallRecord } from '../domain/call.ts'
import type { Message } from '../domain/message.ts'
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

/** One effect while it is performed. */
export interface EffectTrace {
  /** What requests of the effect carry on; absent where nothing is traced. */
  readonly context?: TraceContext
  /** Calls the function so that what it starts belongs to this effect. */
  within<T>(perform: () => T): T
  end(end: TracedEnd): void
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
