import { checkOptions, flag, having, optional, type OptionShape, signal } from '../domain/text/option-shape.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { FollowedEvents, RunFollowOptions, RunInStore, ServedRun } from './followed-events.ts'
import { RunEvents } from './run-events.ts'
import { ServedEvents } from './served-events.ts'

/** A run of an agent, or what gives its events in its place. */
export interface FollowableRun {
  events(options: RunFollowOptions): FollowedEvents
}

/**
 * Follows a run of an agent, a run in a store, or a run that a server serves: the stored events after a number, then those
 * that come, until the run waits or is done. A slow reader reads on from the store, and delays nobody. The first `next`
 * rejects with a `UsageError` `bad_event_number` for a number that the run does not have, with a `StoreError`, or with a
 * `RequestError` if the server refuses.
 *
 * @example
 * for await (const event of follow(run, { after: 12 })) console.log(event.seq, event.type)
 */
export function follow(run: FollowableRun | RunInStore | ServedRun, options: RunFollowOptions = {}): FollowedEvents {
  if ('url' in run) return new ServedEvents(run, checkedOptions(options))
  if ('store' in run) return new RunEvents({ clock: systemClock, ...run }, checkedOptions(options))
  having('a run, { store, runId } or { url }', 'events')(run, { field: 'run', owner: 'follow' })
  return run.events(options)
}

const shape: OptionShape<RunFollowOptions> = {
  after: () => undefined,
  deltas: optional(flag),
  wait: optional(flag),
  drive: optional(flag),
  signal: optional(signal),
}

/** Returns the options; throws a `UsageError` for those that are refused. */
export function checkedOptions(options: RunFollowOptions): RunFollowOptions {
  checkOptions('follow', options, shape)
  return options
}
