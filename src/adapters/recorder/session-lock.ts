import { statSync, unlinkSync } from 'node:fs'
import { DatabaseSync } from '../stores/sqlite/module.ts'
import { SessionError } from './session-error.ts'

/** A lock on a session that this process holds. */
export interface SessionLock {
  /** Releases it, once; with `forgets` its file is deleted too. */
  release(options?: { readonly forgets?: boolean }): void
}

const busy = 5
const someTries = 100

/** Locks a session by a transaction on an empty SQLite file, which ends if the process dies. Throws `locked`. */
export function lockSession(path: string, sessionId: string): SessionLock {
  for (let tries = 0; tries < someTries; tries++) {
    const before = inodeOf(path)
    // Deleting a session deletes its lock file too: a lock on a deleted file excludes nobody, or cannot be taken.
    const isThere = () => before === inodeOf(path)
    let lock: SessionLock
    try {
      lock = takeLock(path, sessionId)
    } catch (error) {
      if (isThere()) throw error
      continue
    }
    if (before !== undefined && isThere()) return lock
    lock.release()
  }
  throw lockError(undefined, path, sessionId)
}

function takeLock(path: string, sessionId: string): SessionLock {
  let opened: InstanceType<typeof DatabaseSync> | undefined
  try {
    const database = new DatabaseSync(path)
    opened = database
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('BEGIN EXCLUSIVE')
    return lockOf(database, path)
  } catch (error) {
    opened?.close()
    throw lockError(error, path, sessionId)
  }
}

function lockOf(database: InstanceType<typeof DatabaseSync>, path: string): SessionLock {
  let isHeld = true
  return {
    release({ forgets = false } = {}) {
      if (!isHeld) return
      isHeld = false
      if (forgets) unlinkSync(path)
      database.close()
    },
  }
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev} ${found.ino}`
}

function lockError(error: unknown, path: string, sessionId: string): SessionError {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (error === undefined || code === busy) {
    const wish = 'Nothing was changed: try again once it has finished.'
    return new SessionError('locked', `Session "${sessionId}" is being written by another process. ${wish}`, {
      cause: error,
    })
  }
  const wish = 'Nothing was changed: check the file and its permissions.'
  return new SessionError('store_unavailable', `The lock "${path}" cannot be taken. ${wish}`, { cause: error })
}
