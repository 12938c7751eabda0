import type { AgentEvent } from '../domain/event.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { LogEntry } from '../domain/log.ts'
import type { GivenInput } from '../domain/payload.ts'
import type { RunOrigin } from '../domain/run-origin.ts'
import type { Clock } from '../ports/clock.ts'
import type { EffectHandlers } from '../ports/effect-handler.ts'
import type { Ids } from '../ports/ids.ts'
import type { DriveOptions } from '../runtime/drive-options.ts'
import type { Charts } from '../runtime/stepper.ts'
import type { LiveActor } from '../step/effect-logic.ts'
import type { PlainLog, PlainSaid } from './plain-log.ts'

/** Functions that read the charts of a run. */
export interface ChartReading extends Pick<Charts, 'turnAt'>, Pick<DriveOptions, 'toEvent'> {}

/** The dependencies of one actor of the run machine. */
export interface PlainRunParts {
  readonly charts: ChartReading
  readonly runId: string
  readonly origin: RunOrigin
  readonly entries: readonly LogEntry[]
  /** The number of entries that come from the continued run. */
  readonly carried: number
  readonly decisions: readonly StoredDecision[]
  readonly given: GivenInput
  readonly said: readonly PlainSaid[]
  readonly root: LiveActor
  readonly handlers: EffectHandlers
  readonly clock: Clock
  readonly ids: Ids
  /** Emits an event to the actor's listeners. */
  readonly emit: (event: AgentEvent) => void
  readonly onLog: ((log: PlainLog) => void) | undefined
}
