export type StoreErrorCode =
  | 'run_exists'
  | 'run_unknown'
  | 'run_is_driven'
  | 'version_conflict'
  | 'fence_conflict'
  | 'run_damaged'
  | 'store_unavailable'
  | 'store_foreign'

/** An expected failure of a store; the message says what happened and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
