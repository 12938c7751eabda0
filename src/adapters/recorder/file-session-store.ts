import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { checkOptions, filledText, number, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { checkFilter, listed } from './list-sessions.ts'
import { mergeSessions } from './merge-sessions.ts'
import { SessionError } from './session-error.ts'
import { checkSessionId, isSessionId } from './session-id.ts'
import { lockSession, type SessionLock } from './session-lock.ts'
import { headOf, type RecordedSession, type SessionHead } from './session-record.ts'
import type { DamagedRecord, SessionStore } from './session-store.ts'
import {
  damaged,
  decodeSession,
  encodeSession,
  maxSessionBytes,
  sessionStoreClosed,
  sessionUnknown,
} from './session-text.ts'

/** Options of a file store; all are optional. */
export interface FileSessionStoreOptions {
  /** Milliseconds for which a session that another process writes is asked for again. Default 1,000. */
  readonly waitMs?: number
}

const shape: OptionShape<FileSessionStoreOptions> = {
  waitMs: optional(number('a number of milliseconds of 0 or more', (ms) => ms >= 0)),
}

/**
 * Stores each session in a file `{folder}/{sessionId}.json` that only its owner can read. A file is replaced as a whole
 * and under a lock.
 */
export function fileSessionStore(folder: string, options: FileSessionStoreOptions = {}): SessionStore {
  filledText(folder, { field: 'folder', owner: 'fileSessionStore' })
  checkOptions('fileSessionStore', options, shape)
  const { waitMs = 1000 } = options
  const pathOf = (sessionId: string) => join(folder, `${sessionId}.json`)
  let isOpen = true

  function checkOpen(): void {
    if (!isOpen) throw sessionStoreClosed()
  }

  function read(sessionId: string): RecordedSession | undefined {
    checkSessionId(sessionId)
    checkOpen()
    return readSession(pathOf(sessionId), sessionId)
  }

  function locked<Result>(sessionId: string, work: (lock: SessionLock) => Result): Promise<Result> {
    const path = join(folder, `${sessionId}.lock`)
    return patiently(waitMs, () => {
      checkOpen()
      const lock = lockSession(path, sessionId)
      try {
        return work(lock)
      } finally {
        lock.release()
      }
    })
  }

  return {
    async save(session) {
      checkOpen()
      const text = encodeSession(session, 2)
      const { id } = session
      makeFolder(folder)
      await locked(id, () => {
        const earlier = read(id)
        const merged = earlier === undefined ? text : encodeSession(mergeSessions(earlier, session), 2)
        writeWhole(pathOf(id), merged)
      })
    },
    async load(sessionId) {
      const session = read(sessionId)
      if (session === undefined) throw sessionUnknown(sessionId)
      return session
    },
    async list(filter = {}) {
      checkFilter(filter)
      checkOpen()
      const heads: SessionHead[] = []
      const broken: DamagedRecord[] = []
      for (const id of idsIn(folder)) {
        try {
          const session = read(id)
          if (session !== undefined) heads.push(headOf(session))
        } catch (error) {
          broken.push({ id, damaged: thrownText(error) })
        }
      }
      return listed(heads, broken, filter)
    },
    async delete(sessionId) {
      checkSessionId(sessionId)
      checkOpen()
      if (!existsSync(pathOf(sessionId))) throw sessionUnknown(sessionId)
      await locked(sessionId, (lock) => {
        if (!isOurs(pathOf(sessionId), sessionId)) throw sessionUnknown(sessionId)
        rmSync(pathOf(sessionId))
        rmSync(`${pathOf(sessionId)}.tmp`, { force: true })
        lock.release({ forgets: true })
      })
    },
    async close() {
      isOpen = false
    },
  }
}

/** Returns the session of a file; undefined without one. Only regular files are read. */
function readSession(path: string, sessionId: string): RecordedSession | undefined {
  const where = `"${path}"`
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) {
    const wish = 'Nothing was changed: move it away, or choose another place for sessions.'
    throw new SessionError(
      'session_foreign',
      `${where} is not a plain file, so it is not a session of statewright. ${wish}`,
    )
  }
  if (found.size > maxSessionBytes) throw damaged(where, `is larger than ${maxSessionBytes} bytes`)
  return decodeSession(textIn(path), sessionId, where)
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unavailable(path, error)
  }
}

function isOurs(path: string, sessionId: string): boolean {
  try {
    return readSession(path, sessionId) !== undefined
  } catch (error) {
    if (error instanceof SessionError && error.code === 'session_damaged') return true
    throw error
  }
}

/** A rename replaces a whole file by a whole file; the leftover of a killed process is overwritten. */
function writeWhole(path: string, text: string): void {
  const beside = `${path}.tmp`
  try {
    rmSync(beside, { force: true })
    const file = openSync(beside, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw unavailable(path, error)
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unavailable(folder, error)
  }
}

function idsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.map((name) => name.slice(0, -'.json'.length)).filter(isSessionId)
  } catch (error) {
    throw unavailable(folder, error)
  }
}

function unavailable(path: string, cause: unknown): SessionError {
  const wish = 'Nothing was changed: check the folder, its permissions and the room on its disk.'
  return new SessionError('store_unavailable', `"${path}" failed: ${thrownText(cause)}. ${wish}`, { cause })
}

const retryMs = 20

/** Repeats work that a lock prevented, for at most this many milliseconds, with other work in between. */
async function patiently<Result>(waitMs: number, work: () => Result): Promise<Result> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isLocked = error instanceof SessionError && error.code === 'locked'
      if (!isLocked || performance.now() >= giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
