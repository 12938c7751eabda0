import type { CallRecord } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json } from '../domain/json.ts'
import type { ValueName, Write } from '../domain/log.ts'
import type { AssistantMessage, Message } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'

/** What a run's log holds, as effect handlers may read it, frozen; one view for as long as a process drives the run. */
export interface RunView {
  /** Transcript in order: a slot shows its call's result or placeholder; late results stand in their slots. */
  messages(): readonly Message[]
  /** The last answer this run has had itself; those of a run it goes on from are left out. */
  lastAnswer(): AssistantMessage | undefined
  /** The highest turn that calls of the run it goes on from are named by; 0 where it goes on from none. */
  readonly carriedTurns: number
  /** The message at a sequence number; undefined for slots and other entries. */
  message(seq: number): Message | undefined
  call(callId: string): CallRecord | undefined
  /** The run's state document. */
  readonly state: Json
  /** What the run knows by this name. */
  value(name: ValueName): Json | undefined
}

/** What an effect handler is given beside its input. */
export interface EffectContext {
  readonly runId: string
  /** What the run was given at its start. */
  readonly run: RunDetails
  /** Names this performance; born with the effect, survives a restore, never reused. */
  readonly key: string
  /** True where an earlier process may have performed this very effect. */
  readonly isRestored: boolean
  /** How often others took the run over since this effect was asked for, and may have performed it. */
  readonly takeovers: number
  /** Number of the lease this process drives under; a higher one is newer. */
  readonly fence: number
  /**
   * To be asked at the last moment before something is done outside: undefined where it may be done at once, else it
   * may be when the promise resolves. Throws a `StoreError` where another drives the run by now.
   */
  confirmLease(isOnce: boolean): Promise<void> | undefined
  /**
   * Has something written while the effect goes on. Resolves once a commit holds it; rejects with the reason of `signal`
   * once that fires, and what had not been written then is not.
   */
  record(writes: readonly Write[]): Promise<void>
  /** Fires when the chart no longer wants the effect, or this process stops driving. */
  readonly signal: AbortSignal
  readonly view: RunView
  /** A decision with its payload: one this drive has taken in, or the store holds. */
  decision(decisionId: string): Promise<StoredDecision | undefined>
  readonly clock: Clock
  readonly ids: Ids
  /** Tells whoever watches; never stored. */
  emit(event: AgentEventBody): void
  /**
   * What is told, with the time, where the chart lets go of this effect from now on; undefined for nothing. Nothing is told
   * where this process stops driving: the effect is still wanted then.
   */
  ifCancelled(event: CancelledEvent | undefined): void
}

/** What an effect has told when the chart lets go of it. */
export type CancelledEvent = Omit<Extract<AgentEventBody, { readonly type: 'toolExecution.ended' }>, 'at'>

/** The end of an effect: what the chart hears, and what is written in the commit that takes it in. */
export interface EffectResult<Output> {
  /** A function is given the sequence number of the first entry `writes` appends. */
  readonly output: Output | ((firstSeq: number) => Output)
  readonly writes?: readonly Write[]
  /** What went wrong beside it: ends the run with an error once the result is taken in, in the same commit. */
  readonly failure?: unknown
}

/**
 * How an effect stands to the commit: a `local` one needs no write of its own and may run again; `repeatable` and
 * `recorded` ones start only after the commit that holds their intent. A repeatable one runs again after a crash.
 */
export type EffectKind = 'local' | 'repeatable' | 'recorded'

/** One handler for each effect name of the charts. */
export type EffectHandlers = { readonly [src: string]: EffectHandler<never, unknown> }

/** Performs the effects of one name. Expected failures are outputs; a throw ends the run with an error. */
export interface EffectHandler<Input, Output> {
  readonly kind: EffectKind
  /** True where the effect may not start while a call of the transcript has neither result nor placeholder. */
  readonly readsTranscript?: boolean
  perform(input: Input, context: EffectContext): Promise<EffectResult<Output>>
  /** What is known of a restored effect without performing it; undefined performs it again. */
  recover?(input: Input, context: EffectContext): EffectResult<Output> | undefined
  /** Unix milliseconds at which a timer is due, so that others can find it in the store; null for never. */
  due?(input: Input): number | null
  /** Checks an output before the chart hears it; throws where it is malformed. */
  check?(output: Output): void
}
