import * as is from '../domain/text/option-shape.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { FollowedEvents, RunFollowOptions, RunInStore, ServedRun } from './followed-events.ts'
import { RunEvents, type WantedEvents } from './run-events.ts'
import { servedEvents } from './served-events.ts'
import type { AgentCore } from './agent-core.ts'
import type { Watcher } from './run-watchers.ts'

/** A run of an agent, or an object that supplies its events. */
export interface FollowableRun {
  events(options: RunFollowOptions): FollowedEvents
}

/**
 * Follows a run of an agent, a run in a store, or a run that a server serves: first the stored events after a number,
 * then new events, until the run waits or is done. A slow reader continues from the store, and delays nobody. The first
 * `next` rejects with a `UsageError` `bad_event_number` for a number that the run does not have, with a `StoreError`,
 * or with a `RequestError` if the server refuses.
 *
 * @example
 * for await (const event of follow(run, { after: 12 })) console.log(event.seq, event.type)
 */
export function follow(run: FollowableRun | RunInStore | ServedRun, options: RunFollowOptions = {}): FollowedEvents {
  const option = { field: 'run', owner: 'follow' }
  isGiven(run, option)
  if ('url' in run) {
    isServed(run, option)
    return servedEvents(run, checkedOptions(options))
  }
  if ('store' in run) {
    isInStore(run, option)
    return new RunEvents({ clock: systemClock, ...run }, checkedOptions(options))
  }
  isFollowable(run, option)
  return run.events(options)
}

const wish = 'a run, { store, runId } or { url }'
const isGiven = is.having(wish)
const isFollowable = is.having(wish, 'events')

const isInStore = is.options<RunInStore>({
  store: is.having('a store, such as sqliteStore(path) gives', 'record', 'input', 'entries'),
  runId: is.filledText,
  clock: is.optional(is.having('a clock', 'now', 'sleepUntil')),
})

const isServed = is.options<ServedRun>({
  url: is.filledText,
  headers: is.optional(is.callback),
  fetch: is.optional(is.callback),
  lost: is.optional(is.callback),
})

const shape: is.OptionShape<RunFollowOptions> = {
  after: () => undefined,
  deltas: is.optional(is.flag),
  wait: is.optional(is.flag),
  drive: is.optional(is.flag),
  signal: is.optional(is.signal),
}

/** Returns valid options; throws a `UsageError` for invalid ones. */
export function checkedOptions(options: RunFollowOptions): RunFollowOptions {
  is.checkOptions('follow', options, shape)
  return options
}

/** A run as the agent that follows it holds it. */
interface HeldRun {
  readonly id: string
  /** Resolves once the run is stored. */
  readonly stored: Promise<unknown>
  /** Ends the reading with its reason. */
  readonly leaving: AbortSignal
  /** Drives the run to its rest. */
  drive(): Promise<unknown>
}

/** Follows a run of an agent, with every event that this process emits about it. */
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
