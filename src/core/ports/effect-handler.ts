import type { CallRecord } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { ValueName, Write } from '../domain/log.ts'
import type { AssistantMessage, InputMessage, Message } from '../domain/message.ts'
import type { GivenInput, InputPlace, SaidHead } from '../domain/payload.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { Clock } from './clock.ts'
import type { RunGrants } from './grants.ts'
import type { Ids } from './ids.ts'
import type { TracedAsk } from './tracer.ts'

/** What a run's log holds, as effect handlers may read it, frozen; one view for as long as a process drives the run. */
export interface RunView {
  /** The transcript in order. A slot shows its call's result or placeholder; late results stand in their slots. */
  messages(): readonly Message[]
  /** How many of its first messages a list that `messages` gave has in common with the last one; undefined for another list. */
  keptOf(messages: readonly Message[]): number | undefined
  /** The last answer of this run's own model calls, not of a run it goes on from. */
  lastAnswer(): AssistantMessage | undefined
  /** The highest turn in the names of calls of the run it goes on from; 0 where it goes on from none. */
  readonly carriedTurns: number
  /** The message at a sequence number; undefined for slots and other entries. */
  message(seq: number): Message | undefined
  call(callId: string): CallRecord | undefined
  /** The run's state document. */
  readonly state: Json
  /** The value the run keeps under this name. */
  value(name: ValueName): Json | undefined
  /** What the run was begun with; empty once the transcript has it. */
  readonly given: GivenInput
  /** The messages the run begins with, until the transcript has them. */
  inputAt(place: InputPlace): readonly InputMessage[]
  /** What somebody said to the run; empty where a filter has refused it. */
  said(head: SaidHead): readonly InputMessage[]
}

/** What an effect handler is given beside its input. */
export interface EffectContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  /**
   * Names this asking of the effect. No other asking gets the key. A performance that is repeated after a crash has the
   * same key.
   */
  readonly key: string
  /** True where an earlier process may have performed this very effect. */
  readonly isRestored: boolean
  /**
   * How many drivers have claimed the run since the one that asked for this effect. Each of them may have performed the
   * effect, or may have ended before it began.
   */
  readonly takeovers: number
  /** Number of the lease this process drives under; a higher one is newer. */
  readonly fence: number
  /**
   * Ask this at the last moment before something is done outside. Undefined means that it may be done at once;
   * otherwise it may be done when the promise resolves. Throws a `StoreError` where another process drives the run by
   * now.
   */
  confirmLease(isOnce: boolean): Promise<void> | undefined
  /**
   * Writes something while the effect goes on. Resolves once a commit holds it. Rejects with the reason of `signal`
   * once that fires; what had not been written then is not written.
   */
  record(writes: readonly Write[]): Promise<void>
  /** Fires when the chart no longer wants the effect, or this process stops driving. */
  readonly signal: AbortSignal
  readonly view: RunView
  /** A decision with its payload, which this drive has taken in or the store holds. */
  decision(decisionId: string): Promise<StoredDecision | undefined>
  /** What is remembered of earlier decisions; absent where the store keeps none. */
  readonly grants?: RunGrants
  readonly clock: Clock
  readonly ids: Ids
  /** Where this effect belongs in a trace; absent where nobody traces. */
  readonly trace?: TraceContext
  /** Makes a request to a model as a part of the trace; absent when nobody traces requests. */
  readonly asking?: TraceAsking | undefined
  /** Tells whoever watches: a notice with the commit that holds the result, anything else at once and never stored. */
  emit(event: AgentEventBody): void
  /**
   * Gives what is told, with the time, where the chart lets go of this effect from now on; undefined for nothing.
   * Nothing is told where this process stops driving, because the effect is still wanted then.
   */
  ifCancelled(event: CancelledEvent | undefined): void
}

/** Performs a request to a model, and traces it with its answer. */
export type TraceAsking = (ask: TracedAsk, perform: () => Promise<AssistantMessage>) => Promise<AssistantMessage>

/** What an effect has told when the chart lets go of it. */
export type CancelledEvent = Omit<Extract<AgentEventBody, { readonly type: 'toolExecution.ended' }>, 'at'>

/** The end of an effect: what the chart takes in, and what is written in the same commit. */
export interface EffectResult<Output> {
  /** A function gets the sequence number of the first entry that `writes` appends. */
  readonly output: Output | ((firstSeq: number) => Output)
  readonly writes?: readonly Write[]
  /** What went wrong besides. It ends the run with an error once the result is taken in, in the same commit. */
  readonly failure?: unknown
}

/**
 * How an effect relates to the commit. A `local` effect needs no write of its own and may run again. `repeatable` and
 * `recorded` ones start only after the commit that holds their intent. A repeatable one runs again after a crash.
 */
export type EffectKind = 'local' | 'repeatable' | 'recorded'

/** One handler for each effect name of the charts. */
export type EffectHandlers = { readonly [src: string]: EffectHandler<never, unknown> }

/** Performs the effects of one name. An expected failure is an output; a throw ends the run with an error. */
export interface EffectHandler<Input, Output> {
  readonly kind: EffectKind
  /** True where the effect may not start while a call of the transcript has neither result nor placeholder. */
  readonly readsTranscript?: boolean
  perform(input: Input, context: EffectContext): Promise<EffectResult<Output>>
  /** What is known of a restored effect without performing it. Undefined performs it again. */
  recover?(input: Input, context: EffectContext): EffectResult<Output> | undefined
  /** Unix milliseconds at which a timer is due, so that others can find it in the store; null for never. */
  due?(input: Input): number | null
  /** Checks an output before the chart takes it in; throws where it is malformed. */
  check?(output: Output): void
}
