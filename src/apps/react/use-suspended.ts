import { useMemo, useSyncExternalStore } from 'react'
import { actionsOf, type RunActions } from './answers.ts'
import type { ServerOptions } from './requests.ts'
import { type SuspendedList, SuspendedReader } from './suspended-list.ts'

/** Options of `useSuspended`. */
export interface UseSuspendedOptions extends ServerOptions {
  /** Milliseconds between two reads if the server does not report changes. Default 3,000. */
  readonly everyMs?: number
}

/** The waiting runs, with their actions. */
export interface UsedSuspended extends SuspendedList {
  /** Returns the actions on one of the runs. */
  on(runId: string): RunActions
}

/**
 * Lists the waiting runs that the page's user may see, with their suspended calls and arguments. The options are read at
 * the first render and when `url` changes.
 *
 * @example
 * const { runs, on } = useSuspended({ url: '/api' })
 */
export function useSuspended(options: UseSuspendedOptions = {}): UsedSuspended {
  const { url, everyMs = 3_000 } = options
  const { reader, on } = useMemo(() => {
    const begun = new SuspendedReader(options, everyMs)
    return { reader: begun, on: (runId: string) => actionsOf(options, runId, begun.look) }
  }, [url, everyMs])
  const list = useSyncExternalStore(reader.subscribe, reader.current, reader.none)
  return useMemo(() => ({ ...list, on }), [list, on])
}
