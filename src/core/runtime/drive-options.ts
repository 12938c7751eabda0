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
import type { OutgoingItem } from '../domain/outgoing.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import type { Tracer } from '../ports/tracer.ts'
import type { TakenLease } from './held-lease.ts'
import type { RunLog } from './run-log.ts'
import type { Charts } from './stepper.ts'
import type { Announcement } from '../step/effect-logic.ts'

/** Everything one drive of one run needs. */
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
   * What is kept of the stored input once the root machine is in this context; undefined where it stays as it is. What
   * stands in the log, or may stand nowhere, is not kept.
   */
  readonly keptInput: (stored: Json, context: unknown) => Json | undefined
  /** What is remembered for a run of the agent of this name. Default: nothing. */
  readonly grantsFor?: (agent: string, run: RunDetails) => RunGrants | undefined
  /**
   * Gets every event, in order; must not throw. No event of the run is stored between the number `behind` and an event that
   * has a number.
   */
  readonly emit: (event: AgentEvent, behind?: number) => void
  /** Spells out what a chart announced. */
  readonly toEvent: (announced: Announced) => MarkedEvent
  /** What tells with the end of a run who asked for it, by the stored input; undefined where nobody did. Default: nobody. */
  readonly completionOf?: (stored: Json) => Promise<Completion> | undefined
  /** What a commit leaves for a memory. Default: nothing. */
  readonly remembering?: (made: Remembering, at: number) => readonly OutgoingItem[]
  readonly inspect?: Inspect
  /** Follows the run and what is performed. */
  readonly tracer?: Tracer
}

/** A run as the commit that ends it leaves it. */
export type EndedRun = Pick<DriveRest, 'outcome' | 'input' | 'log' | 'calls'> & { readonly status: 'done' }

/** Gives what leaves with the end of a run, beside what its calls send. */
export type Completion = (ended: EndedRun, at: number) => readonly OutgoingItem[]

/** What a commit holds that may be worth remembering. */
export interface Remembering {
  readonly input: Json
  readonly log: RunLog
  /** Calls that came to their end in it. */
  readonly settled: readonly string[]
  /** How the run ended; absent where it goes on or waits. */
  readonly outcome?: Outcome
}

/** What the event of an announcement is made of. */
export interface Announced {
  readonly announcement: Announcement
  /** Sequence number of the announcement's own entry. */
  readonly seq: number
  readonly origin: RunOrigin
  /** Of the root machine, as the commit leaves it. */
  readonly context: unknown
  readonly log: RunLog
  /** Sequence number of the answer of the turn it was announced in. */
  readonly answerSeq: number | undefined
}

/** How a drive left its run: everything told here is stored. */
export interface DriveRest {
  readonly status: 'waiting' | 'done'
  readonly outcome?: Outcome
  readonly input: Json
  readonly continues: StoredRun['continues'] | undefined
  readonly log: readonly LogEntry[]
  /** Of the last entry the store has, which may be a checkpoint. */
  readonly lastSeq: number
  readonly calls: readonly CallRecord[]
  /** True where something may have been sent to the run before its lease was given back, and is not taken in. */
  readonly mayHaveNews: boolean
}
