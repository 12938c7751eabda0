import { useMemo, useSyncExternalStore } from 'react'
import { actionsOf, type RunActions } from './answers.ts'
import type { ServerOptions } from './requests.ts'
import { type SuspendedList, SuspendedReader } from './suspended-list.ts'

/** How what waits is read. */
export interface UseSuspendedOptions extends ServerOptions {
  /** Milliseconds between two looks where the server does not tell of changes. Default 3,000. */
  readonly everyMs?: number
}

/** What waits for answers, and how it is answered. */
export interface UsedSuspended extends SuspendedList {
  /** What a page may do to one of the runs. */
  on(runId: string): RunActions
}

/**
 * The runs that wait for answers and that the user of the page may see, each with its suspended calls and their arguments.
 * The options count when the component begins, and when `url` changes.
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
