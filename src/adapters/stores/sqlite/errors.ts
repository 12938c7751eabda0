import { StoreError } from '../../../core/domain/store-error.ts'
import { runDamaged } from '../../../core/stores/rows/store-errors.ts'
import { busy, codeOf, corrupt, locked } from './error-codes.ts'
import { lockHolder } from './lock-holder.ts'

const readOnly = 8
const inputOutput = 10
const full = 13
const cannotOpen = 14
const notADatabase = 26

function isPassing(error: unknown): boolean {
  return [busy, locked, full].includes(codeOf(error) ?? 0)
}

/** Returns true for an error because the file cannot be written, or no file can be created beside it. */
export function isUnwritable(error: unknown): boolean {
  return [readOnly, cannotOpen].includes(codeOf(error) ?? 0)
}

/** Returns the `StoreError` for an error of SQLite, or any other error unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error)) return error
  if (code === notADatabase) {
    const advice = 'Choose another path, or restore the file from a copy.'
    return new StoreError('store_foreign', `"${path}" is not a SQLite database. ${advice}`, { cause: error })
  }
  return new StoreError(
    isPassing(error) ? 'store_busy' : 'store_unavailable',
    `The store "${path}" ${problemOf(code, error.message, path)}`,
    { cause: error },
  )
}

/** Works as `toStoreError`, but unreadable rows of one run count as damage of that run. */
export function toRunError(error: unknown, path: string, runId: string): unknown {
  const isUnreadable =
    codeOf(error) === corrupt || (error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE')
  if (!isUnreadable) return toStoreError(error, path)
  return runDamaged(runId, `a row of it in "${path}"`, 'cannot be read', error)
}

/** A process that is stopped in the middle of a commit keeps the lock until it continues or ends. */
function lockedBy(path: string): string {
  const holder = lockHolder(path)
  if (holder === undefined) return 'another process and stayed so. Try again, or end that process.'
  if (!holder.isStopped) return `process ${holder.pid} and stayed so. Try again, or end it.`
  return `process ${holder.pid}, which is stopped, and stayed so. Continue it, or end it: kill -CONT or kill -KILL.`
}

function problemOf(code: number, message: string, path: string): string {
  switch (code) {
    case busy:
    case locked:
      return `is locked by ${lockedBy(path)}`
    case readOnly:
      return 'cannot be written to. Check the permissions of the file and of its folder.'
    case inputOutput:
      return `could not be read or written (${message}). Check the disk, then open it again.`
    case corrupt:
      return 'is damaged: its pages are inconsistent. Restore it from a copy, or recover it with the sqlite3 tool.'
    case full:
      return 'has no room left on its disk. Free some, then drive the run again.'
    case cannotOpen:
      return 'cannot be opened. Check that its folder exists, and that it is a file you may read and write.'
    default:
      return `failed: ${message}.`
  }
}
