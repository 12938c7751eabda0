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
import type { RunAccount } from './run-account.ts'
import type { Ids } from './ids.ts'
import type { TracedAsk } from './tracer.ts'

/** The frozen log of a run for effect handlers; one view exists while a process drives the run. */
export interface RunView {
  /** Returns the transcript in order. A slot shows its call's result, even a late one, or the placeholder. */
  messages(): readonly Message[]
  /** Returns how many first messages a list from `messages` shares with the latest one; undefined for another list. */
  keptOf(messages: readonly Message[]): number | undefined
  /** Returns the last answer of this run's own model calls, without those of the continued run. */
  lastAnswer(): AssistantMessage | undefined
  /** The highest turn in the call ids of the continued run; 0 without one. */
  readonly carriedTurns: number
  /** Returns the message at a sequence number, or undefined for slots and other entries. */
  message(seq: number): Message | undefined
  call(callId: string): CallRecord | undefined
  /** Returns the run's own calls in the order of their slots, holds included. */
  calls(): readonly CallRecord[]
  /** Returns the cost of the run's own answers, in US dollars. */
  spent(): number
  /** Returns true if an answer that did not fail follows the entry at a sequence number. */
  isAnswered(seq: number): boolean
  readonly state: Json
  /** Returns the run's value with this name. */
  value(name: ValueName): Json | undefined
  /** The input of the run; empty after the transcript contains it. */
  readonly given: GivenInput
  /** Returns the messages that the run begins with, until the transcript contains them. */
  inputAt(place: InputPlace): readonly InputMessage[]
  /** Returns the messages of a head; empty if a filter has rejected them. */
  said(head: SaidHead): readonly InputMessage[]
}

/** The context of an effect handler, besides its input. */
export interface EffectContext {
  readonly runId: string
  /** The data that the run received at its start. */
  readonly run: RunDetails
  /** The key of this request for the effect, and of no other. A repeated performance after a crash has the same key. */
  readonly key: string
  /** True if an earlier process may have performed this effect. */
  readonly isRestored: boolean
  /**
   * The number of drivers that have claimed the run since the effect was requested. Each of them may have performed the
   * effect, or may have ended before it began.
   */
  readonly takeovers: number
  /** The fence of the lease under which this process drives; a higher one is newer. */
  readonly fence: number
  /**
   * Checks the lease right before an action outside. If it returns undefined, the action may begin at once; otherwise
   * when the promise resolves. Throws a `StoreError` if another process drives the run.
   */
  confirmLease(isOnce: boolean): Promise<void> | undefined
  /**
   * Writes while the effect is in progress. Resolves when a commit contains the writes. Rejects with the reason of
   * `signal` when it fires; writes that are not committed by then are dropped.
   */
  record(writes: readonly Write[]): Promise<void>
  /** Fires when the chart no longer needs the effect, or when this process stops driving. */
  readonly signal: AbortSignal
  readonly view: RunView
  /** Returns a decision with its payload, from this drive or the store. */
  decision(decisionId: string): Promise<StoredDecision | undefined>
  /** The stored grants; absent if the store has none. */
  readonly grants?: RunGrants
  /** The account of the run's family; absent if nothing limits the family. */
  readonly account?: RunAccount | undefined
  readonly clock: Clock
  readonly ids: Ids
  /** The effect's position in a trace; absent without a tracer. */
  readonly trace?: TraceContext
  /** Performs and traces a request to a model; absent without a tracer of requests. */
  readonly asking?: TraceAsking | undefined
  /** Emits an event: a notice with the commit of the result, any other event at once and without storing it. */
  emit(event: AgentEventBody): void
  /**
   * Sets the event to emit, with the time, if the chart cancels this effect; undefined for none. Nothing is emitted if
   * this process stops driving, because the effect is still needed then.
   */
  ifCancelled(event: CancelledEvent | undefined): void
}

/** Performs a request to a model, and traces it with its answer. */
export type TraceAsking = (ask: TracedAsk, perform: () => Promise<AssistantMessage>) => Promise<AssistantMessage>

/** The event of an effect that the chart has cancelled. */
export type CancelledEvent = Omit<Extract<AgentEventBody, { readonly type: 'toolExecution.ended' }>, 'at'>

/** The result of an effect: the output for the chart, and the writes in the same commit. */
export interface EffectResult<Output> {
  /** A function receives the sequence number of the first entry that `writes` appends. */
  readonly output: Output | ((firstSeq: number) => Output)
  readonly writes?: readonly Write[]
  /** An error besides the result. It ends the run in error after the result is processed, in the same commit. */
  readonly failure?: unknown
}

/**
 * The relation of an effect to the commit. A `local` effect needs no write of its own and may run again. `repeatable`
 * and `recorded` ones start only after the commit that contains their intent. A repeatable one runs again after a
 * crash.
 */
export type EffectKind = 'local' | 'repeatable' | 'recorded'

/** The handlers of the charts' effects, by effect name. */
export type EffectHandlers = { readonly [src: string]: EffectHandler<never, unknown> }

/** Performs the effects of one name. An expected failure is an output; a throw ends the run with an error. */
export interface EffectHandler<Input, Output> {
  readonly kind: EffectKind
  /** True if the effect must not start while a call of the transcript has neither a result nor a placeholder. */
  readonly readsTranscript?: boolean
  perform(input: Input, context: EffectContext): Promise<EffectResult<Output>>
  /** Returns the known result of a restored effect without performing it, or undefined to perform it again. */
  recover?(input: Input, context: EffectContext): EffectResult<Output> | undefined
  /** Returns a timer's due time in Unix milliseconds, so that other processes can find it; null for never. */
  due?(input: Input): number | null
  /** Checks an output before the chart processes it; throws if it is malformed. */
  check?(output: Output): void
}
