import { StoreError } from '../../../core/domain/store-error.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'

/**
 * The consequence of a failure for the statement. `lost`: the connection is gone, and the statement may have been
 * executed. `absent`: there was no connection. `again`: the server rolled it back and asks for another try. `refused`:
 * the server did not execute it.
 */
export type FailureKind = 'lost' | 'absent' | 'again' | 'refused'

/** A failure of the driver or the server, before it is classified for the caller. */
export class PostgresFailure extends Error {
  readonly kind: FailureKind
  /** The five characters of the server's code; undefined if the server sent none. */
  readonly state: string | undefined

  constructor(kind: FailureKind, cause: unknown) {
    super(thrownText(cause), { cause })
    this.kind = kind
    this.state = stateOf(cause)
  }
}

/** Returns the failure of a statement that was sent, or was about to be sent. */
export function failureOf(cause: unknown): PostgresFailure {
  const state = stateOf(cause)
  if (state === undefined || lost.test(state)) return new PostgresFailure('lost', cause)
  return new PostgresFailure(again.has(state) ? 'again' : 'refused', cause)
}

/** Returns the failure of a connection. A server that starts, stops or has no free connection may have one later. */
export function connectFailureOf(cause: unknown): PostgresFailure {
  const state = stateOf(cause)
  return new PostgresFailure(state === undefined || lost.test(state) ? 'absent' : 'refused', cause)
}

/** The server ends connections or takes none just now, or has become one that only reads, as another took its place. */
const lost = /^(?:08...|57P0[1235]|25006|53300)$/
/** Serialization failure and deadlock. */
const again: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Time-outs of locks and statements, and a lack of room or memory: it may be there later. */
const busy = /^(?:55P03|57014|53...|40...)$/
const gone: ReadonlySet<string> = new Set(['3F000', '42P01', '42703'])

function stateOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return undefined
  return /^[0-9A-Z]{5}$/.test(cause.code) && 'severity' in cause ? cause.code : undefined
}

/**
 * Returns the `StoreError` for a failure, or any other error unchanged. `place` names the store, without a password.
 */
export function toStoreError(error: unknown, place: string, isInDoubt = false): unknown {
  if (!(error instanceof PostgresFailure)) return error
  const { state = '', message } = error
  const options = { cause: error.cause }
  if (error.kind !== 'refused' && error.kind !== 'again') {
    const doubt = isInDoubt
      ? ' Whether the last write is stored is not known: the same commit, made again, finds out.'
      : ''
    const wish = `Nothing is half-applied: check that the server is up, and try again.${doubt}`
    return new StoreError('store_unavailable', `The store in ${place} cannot be reached: ${message}. ${wish}`, options)
  }
  if (gone.has(state)) {
    const wish = 'Nothing was written: restore it, or open the store again.'
    return new StoreError(
      'store_replaced',
      `The store in ${place} is gone or was changed: ${message}. ${wish}`,
      options,
    )
  }
  const code = busy.test(state) ? 'store_busy' : 'store_unavailable'
  return new StoreError(code, `The store in ${place} ${problemOf(state, message)}`, options)
}

function problemOf(state: string, message: string): string {
  if (busy.test(state)) return `is busy or out of room: ${message}. Nothing was written: try again later.`
  if (state.startsWith('28')) return `refuses the login: ${message}. Check user and password of the connection.`
  switch (state) {
    case '3D000':
      return `has no such database: ${message}. Create it, or name another in the connection.`
    case '42501':
      return `grants too little: ${message}. Grant the role the rights in the guide of this store, or open it once as its owner.`
    default:
      return `failed (${state}): ${message}.`
  }
}
