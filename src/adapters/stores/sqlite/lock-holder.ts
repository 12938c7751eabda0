import { readFileSync, statSync } from 'node:fs'

/** The byte of the shared-memory file by which SQLite locks a database for writing. */
const writeLock = 120

interface LockHolder {
  readonly pid: number
  /** True if it was stopped, as by SIGSTOP: it releases the lock only when it continues or ends. */
  readonly isStopped: boolean
}

/** Returns the process that holds the lock, on Linux; undefined elsewhere. */
export function lockHolder(path: string): LockHolder | undefined {
  try {
    const inode = statSync(`${path}-shm`).ino
    const holder = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find((fields) => holdsWriteLock(fields, inode))
    const pid = Number(holder?.[4])
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, isStopped: isStopped(pid) } : undefined
  } catch {
    return undefined
  }
}

/** E.g. `3: POSIX ADVISORY WRITE 4711 08:01:1234 120 120`. */
function holdsWriteLock(fields: readonly string[], inode: number): boolean {
  const [, , , access, , place = '', first, last] = fields
  const isThere = place.split(':')[2] === String(inode)
  return isThere && access === 'WRITE' && Number(first) <= writeLock && writeLock <= Number(last)
}

/** The state of a process follows its name, which may hold anything, in brackets. */
function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return /^\s*[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 1))
}
