import type { AgentCore } from './agent-core.ts'
import { RunEvents, type WantedEvents } from './run-events.ts'
import type { Watcher } from './run-watchers.ts'

/** A run as the agent that follows it holds it. */
export interface HeldRun {
  readonly id: string
  /** Resolves once the run is stored. */
  readonly stored: Promise<unknown>
  /** Ends the reading with its reason. */
  readonly leaving: AbortSignal
  /** Drives the run to its rest. */
  drive(): Promise<unknown>
}

/** Follows a run of an agent, with everything that this process emits of it. */
export function followRun(core: AgentCore, { id, stored, leaving, drive }: HeldRun, wanted: WantedEvents): RunEvents {
  const { store, clock, watchers, openRuns } = core
  const live = {
    join: (watcher: Watcher) => watchers.join(id, watcher),
    leave: (watcher: Watcher) => watchers.leave(id, watcher),
    isDriving: () => openRuns.get(id) !== undefined,
  }
  const closing = [leaving, openRuns.closing]
  return new RunEvents({ store, runId: id, clock, stored, closing, live, drive }, wanted)
}
