/** The problem with a stored state: it is unreadable, or it does not belong to its log. */
export type SnapshotErrorCode =
  | 'snapshot_unreadable'
  | 'log_missing'
  | 'log_of_another_run'
  | 'log_cut_short'
  | 'log_of_another_moment'

/** Thrown if a run cannot continue from a stored document. The store is not changed. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code: SnapshotErrorCode
  readonly runId: string

  constructor(runId: string, what: string, options: { cause?: unknown; code?: SnapshotErrorCode } = {}) {
    const { cause, code = 'snapshot_unreadable' } = options
    super(`Run "${runId}" cannot be continued: ${what}. Nothing was changed.`, cause === undefined ? {} : { cause })
    this.code = code
    this.runId = runId
  }
}
