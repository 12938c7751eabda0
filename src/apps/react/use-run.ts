import { useMemo, useSyncExternalStore } from 'react'
import { actionsOf, type RunActions } from './answers.ts'
import type { ServerOptions } from './requests.ts'
import { type FollowedRun, RunFollower } from './run-follower.ts'

/** A run on a page, with its actions. */
export interface UsedRun extends FollowedRun, RunActions {}

/**
 * Follows a run that `createHandlers` serves: its transcript, the streamed answer, the waiting calls and its end. The
 * options are read at the first render and when `runId` or `url` changes.
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
