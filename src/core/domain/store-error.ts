import { thrownText } from './text/thrown-text.ts'

/**
 * What a store refuses: a run that exists already or not at all, a run that another drives, a run that another has
 * written meanwhile, and a run that cannot be read; and a store that is out of reach, that has no room or is locked
 * just now (`store_busy`), that was deleted or replaced while it was open, or that is not ours. Of sessions: one that
 * somebody has changed meanwhile, that is not there, that other runs read, and that cannot be read.
 */
export type StoreErrorCode =
  | 'run_exists'
  | 'run_unknown'
  | 'run_is_driven'
  | 'version_conflict'
  | 'fence_conflict'
  | 'run_damaged'
  | 'store_unavailable'
  | 'store_busy'
  | 'store_replaced'
  | 'store_foreign'
  | 'session_conflict'
  | 'session_unknown'
  | 'session_is_read'
  | 'session_damaged'
  | 'record_damaged'

/** A lease as it was found: expired by the clock of who looked, but not by that of its owner, perhaps. */
export interface FoundLease {
  readonly runId: string
  readonly fence: number
  /** Unix milliseconds, by the clock of the owner. */
  readonly expires: number
}

/** An expected failure of a store; the message says what happened and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  /** With `run_is_driven`: the lease has expired, but its owner is a process of this host that lives. */
  readonly expired?: FoundLease
  /** With `session_is_read`: runs that read what the session holds, at most 100. */
  readonly readers?: readonly string[]

  constructor(
    code: StoreErrorCode,
    message: string,
    options?: { cause?: unknown; expired?: FoundLease; readers?: readonly string[] },
  ) {
    super(message, options)
    this.code = code
    if (options?.expired !== undefined) this.expired = options.expired
    if (options?.readers !== undefined) this.readers = options.readers
  }
}

/** What a store threw, as a `StoreError`. Of an unexpected failure we know only that it failed. */
export function asStoreError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause
  const wish = 'The stored run stays at its last commit and can be driven on.'
  return new StoreError('store_unavailable', `The store failed: ${thrownText(cause)}. ${wish}`, { cause })
}
