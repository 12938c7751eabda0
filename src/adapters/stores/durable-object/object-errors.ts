import { StoreError } from '../../../core/domain/store-error.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { codeOf, corrupt } from '../sqlite/error-codes.ts'
import { runDamaged } from '../../../core/stores/rows/store-errors.ts'

/**
 * Returns the `StoreError` for an error of an object's storage. Such an error names SQLite's code only in its message.
 */
export function objectError(error: unknown): StoreError {
  const said = thrownText(error)
  const cause = said.includes('SQLITE_CORRUPT') ? Object.assign(new Error(said), { errcode: corrupt }) : error
  return new StoreError('store_unavailable', `The storage of this object ${problemOf(said)}`, { cause })
}

/** Returns the error to report. Unreadable rows of one run count as damage of that run. */
export function errorOfRun(error: unknown, runId?: string): unknown {
  const isUnreadable = error instanceof StoreError && codeOf(error.cause) === corrupt
  return runId !== undefined && isUnreadable
    ? runDamaged(runId, 'a row of it in the storage of this object', 'cannot be read', error)
    : error
}

function problemOf(said: string): string {
  if (said.includes('SQLITE_TOOBIG'))
    return 'refused a value: a row holds at most 2 MB. Keep large results elsewhere, and return a reference to them.'
  if (said.includes('SQLITE_FULL')) return 'is full. Delete runs that are done, then drive the run again.'
  return `failed: ${said.replace(/\.$/, '')}.`
}
