import type { CallRecord } from '../domain/call.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Clock } from '../ports/clock.ts'
import type { EffectHandlers } from '../ports/effect-handler.ts'
import type { Ids } from '../ports/ids.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { Lease, Store } from '../ports/store.ts'
import type { Moment } from './held-lease.ts'
import type { RunLog } from './run-log.ts'
import type { Charts } from './stepper.ts'
import type { Announcement } from './effect-logic.ts'

/** Everything one drive of one run needs. */
export interface DriveOptions {
  readonly store: Store
  readonly lease: Lease
  /** A moment at which the lease had not been taken yet. */
  readonly since: Moment
  /** Milliseconds the lease lasts without renewal. */
  readonly leaseMs: number
  readonly charts: Charts
  /** One handler for each effect name of the charts. */
  readonly handlers: EffectHandlers
  readonly clock: Clock
  readonly ids: Ids
  /** Makes the root machine's input of the one stored with the run. */
  readonly machineInput: (stored: Json) => unknown
  /** Gets every event, in order; must not throw. */
  readonly emit: (event: AgentEvent) => void
  /** Spells out what a chart announced. */
  readonly toEvent: (announcement: Announcement, context: unknown, runLog: RunLog, at: number) => AgentEvent
  readonly inspect?: Inspect
}

/** How a drive left its run: everything told here is stored. */
export interface DriveRest {
  readonly status: 'waiting' | 'done'
  readonly outcome?: Outcome
  readonly log: readonly LogEntry[]
  readonly calls: readonly CallRecord[]
}
