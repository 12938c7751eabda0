/** What is wrong with a stored state: unreadable by itself, or not the one its log belongs to. */
export type SnapshotErrorCode =
  | 'snapshot_unreadable'
  | 'log_missing'
  | 'log_of_another_run'
  | 'log_cut_short'
  | 'log_of_another_moment'

/** A run cannot go on from this stored document. The store is left as it is. */
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
