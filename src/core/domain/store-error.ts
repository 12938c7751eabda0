import { ErrorWithCode } from './text/error-with-code.ts'
import { thrownText } from './text/thrown-text.ts'

/**
 * The reason of a store's error. About runs: the run already exists or is unknown, another process drives it or has
 * written it meanwhile, or it is unreadable. About the store: it is unavailable, has no room or is temporarily locked
 * (`store_busy`), was deleted or replaced while it was open, or is not ours. About sessions: another process has
 * changed it meanwhile, it is unknown, other runs read it, or it is unreadable.
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
  | 'record_damaged'

/** A lease that has expired by the reader's clock, but perhaps not by its owner's clock. */
export interface FoundLease {
  readonly runId: string
  readonly fence: number
  /** Unix milliseconds, by the owner's clock. */
  readonly expires: number
}

/** An expected failure of a store; the message says what happened and what to do. */
export class StoreError extends ErrorWithCode<StoreErrorCode> {
  override readonly name = 'StoreError'
  /** With `run_is_driven`: the lease has expired, but its owner is a living process of this host. */
  declare readonly expired?: FoundLease
  /** With `session_is_read`: the runs that read the session's content, at most 100. */
  declare readonly readers?: readonly string[]

  constructor(
    code: StoreErrorCode,
    message: string,
    options?: { cause?: unknown; expired?: FoundLease; readers?: readonly string[] },
  ) {
    super(code, message, options)
    if (options?.expired !== undefined) this.expired = options.expired
    if (options?.readers !== undefined) this.readers = options.readers
  }
}

/**
 * Thrown if the store fails (`cause`) while a tool or a plugin of the engine works. It ends the drive, not the call or
 * the run.
 */
export class LostStore extends Error {}

/**
 * Converts failures of the store during the engine's work for a tool or a plugin. Errors about a run pass unchanged.
 */
export async function onStore<Value>(work: Promise<Value>): Promise<Value> {
  return work.catch((error: unknown) => {
    throw isOfStore(error) ? new LostStore(error.message, { cause: error }) : error
  })
}

/** Returns true if the store itself has failed: the same request may succeed later. */
export function isOfStore(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code.startsWith('store_')
}

/** Returns true for an error of a store with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly StoreErrorCode[]): error is StoreError {
  return error instanceof StoreError && codes.includes(error.code)
}

/** Returns the damage of a run that an error tells; throws any other error. */
export function damageIn(error: unknown): { readonly damaged: string } {
  if (isRefusal(error, 'run_damaged')) return { damaged: error.message }
  throw error
}

/** Returns the result of reading a run, or undefined if the run is gone or cannot be read. */
export function ifReadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return unless(reading, 'run_unknown', 'run_damaged')
}

/** Returns the result of reading a run, or undefined if the run is gone. */
export function ifStored<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return unless(reading, 'run_unknown')
}

async function unless<Value>(reading: Promise<Value>, ...codes: readonly StoreErrorCode[]): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (!isRefusal(error, ...codes)) throw error
    return undefined
  })
}

/** Converts a store's exception to a `StoreError`. An unexpected one becomes `store_unavailable`. */
export function asStoreError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause
  const wish = 'The stored run stays at its last commit and can be continued.'
  return new StoreError('store_unavailable', `The store failed: ${thrownText(cause)}. ${wish}`, { cause })
}
