import type { SuspendedCall } from '../domain/call.ts'
import type { RunStatus } from '../domain/outcome.ts'
import type { RunRecord } from '../domain/run-record.ts'
import type { StoredSession } from '../domain/session-state.ts'

/** A filter of runs. An absent field excludes no run. */
export interface RunFilter {
  readonly status?: RunStatus
  readonly agent?: string
  /**
   * Unix milliseconds: gives runs whose record was last updated before it, and damaged runs that may have been. The creation
   * of a run is an update.
   */
  readonly updatedBefore?: number
  readonly session?: string
  readonly subject?: string
  /** Gives runs that have all of these labels, and those whose labels cannot be read, as damaged. */
  readonly labels?: { readonly [name: string]: string }
  /** The cursor of a listed run; the list starts after that run. */
  readonly before?: string
  /** Newest first; default 100. */
  readonly limit?: number
}

/** A filter of suspended runs. */
export type SuspendedFilter = Omit<RunFilter, 'updatedBefore'>

/** A filter of sessions. An absent field excludes no session. */
export interface SessionFilter {
  readonly agent?: string
  readonly subject?: string
  /** The cursor of a listed session; the list starts after that session. */
  readonly before?: string
  /** Last active first; default 100. */
  readonly limit?: number
}

/** A place in a list. */
export interface Listed {
  /** The place of this entry, for the filter's `before`. It stays valid when the entry is deleted. */
  readonly cursor: string
}

/** A run's record as `list` gives it. */
export interface ListedRun extends RunRecord, Listed {}

/** A session as `sessions` returns it. A session that was never active counts as active when it was created. */
export interface ListedSession extends StoredSession, Listed {}

/** A run that waits for answers. */
export interface SuspendedRun {
  readonly record: ListedRun
  /** Its suspended calls, in order of `seq`. */
  readonly calls: readonly SuspendedCall[]
  /** Ids of calls with a stored decision that no driver has processed. */
  readonly answered: readonly string[]
}

/** A run that could not be read. It is listed, so that one damaged row does not hide other runs. */
export interface DamagedRun extends Listed {
  readonly id: string
  readonly damaged: string
}

/** A session that could not be read. */
export interface DamagedSession extends Listed {
  readonly id: string
  readonly damaged: string
}
