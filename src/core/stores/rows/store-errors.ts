import type { Owner } from '../../domain/owner.ts'
import { type FoundLease, StoreError } from '../../domain/store-error.ts'

/** Returns the error for a run that was never stored or has been deleted. */
export function runUnknown(runId: string): StoreError {
  return new StoreError('run_unknown', `The store has no run "${runId}". Check the id, or list the runs.`)
}

/** Returns the error for a run id that is already stored. */
export function runExists(runId: string): StoreError {
  return new StoreError('run_exists', `A run "${runId}" is stored already. Load it, or choose another id.`)
}

/**
 * Returns the error for rows in the inbox of a run that is being created. Only something other than a store can have
 * written them.
 */
export function inboxBefore(runId: string): StoreError {
  return new StoreError(
    'run_damaged',
    `Run "${runId}" was not created: its inbox holds rows, and that of a new run is empty. Choose another id.`,
  )
}

/**
 * Returns the error for a run whose lease has a living owner until `expires`, in Unix milliseconds. `expired` is the
 * lease of a process that lives on this host.
 */
export function runIsDriven(runId: string, owner: Owner, expires: number, expired?: FoundLease): StoreError {
  const until = new Date(expires).toISOString()
  const wish =
    expired === undefined
      ? 'Send it decisions or a cancel through the store, or wait until it is released.'
      : 'By the clock of this process that time is over, but the other process is alive. Compare the clocks, or end it if it is stuck.'
  return new StoreError(
    'run_is_driven',
    `Run "${runId}" is driven by process ${owner.pid} on host "${owner.host}" (owner "${owner.id}") until ${until}. ${wish}`,
    expired && { expired },
  )
}

/** Returns the error for a commit that another one has preceded. */
export function versionConflict(runId: string, found: number, expected: number): StoreError {
  return new StoreError(
    'version_conflict',
    `Run "${runId}" is at version ${found}; this commit expected version ${expected}. Nothing was written: read the run again.`,
  )
}

/** Returns the error for a commit whose lease was lost or released. `found` is the currently stored lease. */
export function fenceConflict(
  runId: string,
  found: { readonly owner: string | null; readonly fence: number },
  fence: number,
): StoreError {
  const { owner } = found
  const ended = owner === null ? 'was released' : `now belongs to owner "${owner}"`
  const what =
    found.fence === fence ? `the lease of fence ${fence} ${ended}` : `its lease has fence ${found.fence}, not ${fence}`
  return new StoreError(
    'fence_conflict',
    `Run "${runId}" is no longer yours to drive: ${what}. Nothing was written: claim the run again.`,
  )
}

/** Returns the error for a checkpoint that the run does not have. */
export function checkpointUnknown(runId: string, version: number, known: readonly number[]): StoreError {
  const list = known.length === 0 ? 'It has no checkpoint.' : `Known: ${known.join(', ')}.`
  return new StoreError('run_unknown', `Run "${runId}" has no checkpoint of version ${version}. ${list}`)
}

/** Returns the error for an unreadable stored row; `row` names it. */
export function runDamaged(runId: string, row: string, problem: string, cause?: unknown): StoreError {
  return new StoreError(
    'run_damaged',
    `Run "${runId}" is damaged: ${row} ${problem}. Other runs are not affected: restore this one from a copy, or delete it.`,
    cause === undefined ? undefined : { cause },
  )
}

/**
 * Returns the error for a missing or unreadable row that another run wrote and this run continues. `writer` is that
 * run, if it exists.
 */
export function inheritedDamage(
  runId: string,
  { seq, writer, cause }: { readonly seq: number; readonly writer: string | undefined; readonly cause?: unknown },
): StoreError {
  const whose = writer === undefined ? 'of a run that was deleted' : `of run "${writer}"`
  return new StoreError(
    'run_damaged',
    `Run "${runId}" continues from log row ${seq} ${whose}, which is damaged. ` +
      'Runs from before it are not affected: restore the store from a copy, or delete the runs that continue from that row.',
    cause === undefined ? undefined : { cause },
  )
}

/** Returns the error for a run that should continue from an entry which the other run does not have. */
export function entryUnknown(runId: string, seq: number, last: number): RangeError {
  return new RangeError(
    `Run "${runId}" has no log entry ${seq} to continue from; its last is ${last}. Name one up to there. Nothing was written.`,
  )
}

/** Returns the error for a transcript without room for more entries. */
export function transcriptFull(runId: string, most: number): RangeError {
  return new RangeError(
    `The transcript of run "${runId}" has the maximum of ${most} entries: start a new run. Nothing was written.`,
  )
}

/** Returns the error for a session whose runs are read by runs outside it. */
export function sessionIsRead(id: string, readers: readonly string[]): StoreError {
  const named = readers.slice(0, 5).join(', ') + (readers.length > 5 ? ', …' : '')
  return new StoreError(
    'session_is_read',
    `Session "${id}" was not deleted: other runs continue from it: ${named}. ` +
      "Delete those first, or keep it for them with { whereRead: 'keep' }.",
    { readers },
  )
}

/** Returns the error for use after `close`. */
export function storeClosed(): StoreError {
  return new StoreError('store_unavailable', 'The store is closed. Open it again.')
}
