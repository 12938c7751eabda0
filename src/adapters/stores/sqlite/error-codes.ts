import { StoreError } from '../../../core/domain/store-error.ts'

export const busy = 5
export const locked = 6
export const corrupt = 11

/** Returns true for an error because of inconsistent pages in the file. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && codeOf(error.cause) === corrupt
}

/** Returns true for an error because of a lock that another connection holds. */
export function isLocked(error: unknown): boolean {
  const code = error instanceof StoreError ? codeOf(error.cause) : undefined
  return code === busy || code === locked
}

/** Returns SQLite's primary code of an error, or undefined for any other error. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}
