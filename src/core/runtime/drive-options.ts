import type { RunDetails } from '../domain/run-details.ts'
import type { RunGrants } from '../ports/grants.ts'
import type { CallRecord } from '../domain/call.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { MarkedEvent } from '../domain/marked-event.ts'
import type { Json } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { RunOrigin } from '../domain/run-origin.ts'
import type { Clock } from '../ports/clock.ts'
import type { EffectHandlers } from '../ports/effect-handler.ts'
import type { Ids } from '../ports/ids.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { RunAccount } from '../ports/run-account.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import type { Tracer } from '../ports/tracer.ts'
import type { TakenLease } from './held-lease.ts'
import type { RunLog } from './run-log.ts'
import type { Charts } from './stepper.ts'
import type { Announcement } from '../step/effect-logic.ts'

/** The dependencies of one drive of one run. */
export interface DriveOptions extends TakenLease {
  readonly store: Store
  /** Milliseconds the lease lasts without renewal. */
  readonly leaseMs: number
  readonly charts: Charts
  /** One handler for each effect name of the charts. */
  readonly handlers: EffectHandlers
  readonly clock: Clock
  readonly ids: Ids
  /** Makes the root machine's input of the one stored with the run. */
  readonly machineInput: (stored: Json) => unknown
  /**
   * Returns the part of the stored input to keep once the root machine has this context, or undefined for no change.
   * Messages in the log, and messages that must not be stored, are not kept.
   */
  readonly keptInput: (stored: Json, context: unknown) => Json | undefined
  /** Returns the stored grants for a run of the agent of this name. Default: none. */
  readonly grantsFor?: (agent: string, run: RunDetails, input: Json | undefined) => RunGrants | undefined
  /** The account of a run, by its stored input. Default: none. */
  readonly accountFor?: ((runId: string, stored: Json) => RunAccount | undefined) | undefined
  /**
   * Receives every event, in order; must not throw. No event of the run is stored between the number `behind` and a
   * numbered event.
   */
  readonly emit: (event: AgentEvent, behind?: number) => void
  /** Expands a chart's announcement to an event. */
  readonly toEvent: (announced: Announced) => MarkedEvent
  /**
   * Returns the answer that a run sends at its end, by the stored input; undefined without a request. Default: none.
   */
  readonly completionOf?: (stored: Json) => Promise<Completion> | undefined
  /** Returns the items of a commit for a memory. Default: none. */
  readonly remembering?: (made: Remembering, at: number) => readonly OutgoingItem[]
  readonly inspect?: Inspect
  /** Traces the run and its effects. */
  readonly tracer?: Tracer
}

/** A run in the state that its last commit leaves. */
export type EndedRun = Pick<DriveRest, 'outcome' | 'input' | 'log' | 'calls'> & { readonly status: 'done' }

/** Returns the items that leave with the end of a run, besides those of its calls. */
export type Completion = (ended: EndedRun, at: number) => readonly OutgoingItem[]

/** The contents of a commit for a memory. */
export interface Remembering {
  readonly input: Json
  readonly log: RunLog
  /** Calls that came to their end in it. */
  readonly settled: readonly string[]
  /** The outcome; absent for a run that continues or waits. */
  readonly outcome?: Outcome
}

/** An announcement, with the facts for its event. */
export interface Announced {
  readonly announcement: Announcement
  /** Sequence number of the announcement's own entry. */
  readonly seq: number
  readonly origin: RunOrigin
  /** The root machine's context after the commit. */
  readonly context: unknown
  readonly log: RunLog
  /** Sequence number of the answer of the turn it was announced in. */
  readonly answerSeq: number | undefined
}

/** The state of a run that its drive has left; all emitted events are stored. */
export interface DriveRest {
  readonly status: 'waiting' | 'done'
  readonly outcome?: Outcome
  readonly input: Json
  readonly continues: StoredRun['continues'] | undefined
  readonly log: readonly LogEntry[]
  /** The number of the last stored entry, which may be a checkpoint. */
  readonly lastSeq: number
  readonly calls: readonly CallRecord[]
  /** True if unprocessed messages may have been sent to the run before its lease was released. */
  readonly mayHaveNews: boolean
  /** True if bytes of large media in the log are in the store alone. */
  readonly isBare: boolean
}
