import { useMemo, useSyncExternalStore } from 'react'
import { actionsOf, type RunActions } from './answers.ts'
import type { ServerOptions } from './requests.ts'
import { type FollowedRun, RunFollower } from './run-follower.ts'

/** A run on a page, and what the page may do to it. */
export interface UsedRun extends FollowedRun, RunActions {}

/**
 * Follows a run that `createHandlers` serves: its transcript, the answer as it is written, what waits, and its end. The
 * options count when the component begins, and when `runId` or `url` changes.
 *
 * @example
 * const { view, approve, deny } = useRun(runId, { url: '/api' })
 */
export function useRun(runId: string, options: ServerOptions = {}): UsedRun {
  const { url } = options
  const { follower, actions } = useMemo(() => {
    const begun = new RunFollower(runId, options)
    return { follower: begun, actions: actionsOf(options, runId, begun.look) }
  }, [runId, url])
  const run = useSyncExternalStore(follower.subscribe, follower.current, follower.none)
  return useMemo(() => ({ ...run, ...actions }), [run, actions])
}
