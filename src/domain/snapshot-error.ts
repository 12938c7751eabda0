/** A stored document that cannot be gone on from; the store is left as it is. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code = 'snapshot_unreadable'
  readonly runId: string

  constructor(runId: string, what: string, options?: { cause?: unknown }) {
    super(`Run "${runId}" cannot be continued: ${what}. Nothing was changed.`, options)
    this.runId = runId
  }
}
