import { ErrorWithCode } from './text/error-with-code.ts'

/** The problem with a stored state: it is unreadable, or it does not belong to its log. */
export type SnapshotErrorCode =
  | 'snapshot_unreadable'
  | 'log_missing'
  | 'log_of_another_run'
  | 'log_cut_short'
  | 'log_of_another_moment'

/** Thrown if a run cannot continue from a stored document. The store is not changed. */
export class SnapshotError extends ErrorWithCode<SnapshotErrorCode> {
  override readonly name = 'SnapshotError'
  readonly runId: string

  constructor(runId: string, what: string, options: { cause?: unknown; code?: SnapshotErrorCode } = {}) {
    const { cause, code = 'snapshot_unreadable' } = options
    const message = `Run "${runId}" cannot be continued: ${what}. Nothing was changed.`
    super(code, message, cause === undefined ? {} : { cause })
    this.runId = runId
  }
}
