import { isRecord } from '../../core/domain/text/json.ts'
import { maxKeptBytes, maxKeptDepth } from '../../core/domain/text/json-limits.ts'
import { copyJson } from '../../core/domain/text/json-copy.ts'
import { parseJson } from '../../core/domain/text/parse-json.ts'
import { textBytes } from '../../core/domain/text/platform.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { SessionError } from './session-error.ts'
import { checkSessionId } from './session-id.ts'
import type { RecordedSession } from './session-record.ts'

const format = 'statewright-session'
const version = 1

/** The maximum number of bytes of a stored session. */
export const maxSessionBytes = maxKeptBytes

/**
 * Returns a session as JSON text with its format and version, optionally indented; throws `bad_session` for an invalid
 * record.
 */
export function encodeSession(session: RecordedSession, indent = 0): string {
  checkSessionId(isRecord(session) ? session.id : undefined)
  const { id } = session
  const copied = copyJson(session, { mostBytes: maxSessionBytes, mostDepth: maxKeptDepth })
  const problem = copied.problem ?? problemOf(copied.value)
  if (copied.problem !== undefined || problem !== undefined) {
    const wish = 'Pass a session of a recorder, or of a store.'
    throw new SessionError('bad_session', `Session "${id}" was not stored: it ${problem}. ${wish}`)
  }
  const text = `${JSON.stringify({ format, version, ...(copied.value as object) }, undefined, indent)}\n`
  if (textBytes(text) <= maxSessionBytes) return text
  const wish = 'Record fewer events (option events), or delete old sessions and begin a new one.'
  throw new SessionError(
    'bad_session',
    `Session "${id}" was not stored: it is larger than ${maxSessionBytes} bytes. ${wish}`,
  )
}

/**
 * Returns the session in a stored text; `where` names the text. Throws `session_damaged`, `session_foreign` or
 * `session_later`.
 */
export function decodeSession(text: string, id: string, where: string): RecordedSession {
  const stored = parsed(text, where)
  if (!isRecord(stored) || stored['format'] !== format) {
    const wish = 'Nothing was changed: move it away, or choose another place for sessions.'
    throw new SessionError('session_foreign', `${where} is not a session of statewright. ${wish}`)
  }
  const { format: _, version: found, ...session } = stored
  if (typeof found === 'number' && found > version) {
    const wish = 'Nothing was changed: use the version that wrote it.'
    throw new SessionError(
      'session_later',
      `${where} has version ${found}; this version of statewright reads version ${version}. ${wish}`,
    )
  }
  const other = session['id'] === id ? undefined : `is named ${JSON.stringify(session['id'])}`
  const problem = found === version ? (other ?? problemOf(session)) : `has version ${JSON.stringify(found)}`
  if (problem !== undefined) throw damaged(where, problem)
  return session as unknown as RecordedSession
}

/** Returns the error for an unreadable session. */
export function damaged(where: string, problem: string, cause?: unknown): SessionError {
  const wish = 'Other sessions are not affected: restore this one from a copy, or delete it.'
  return new SessionError('session_damaged', `${where} is damaged: it ${problem}. ${wish}`, { cause })
}

/** Returns the error for a session that is not stored. */
export function sessionUnknown(id: string): SessionError {
  return new SessionError('session_unknown', `No session "${id}" is stored. Check the id, or list the sessions.`)
}

/** Returns the error for use after `close`. */
export function sessionStoreClosed(): SessionError {
  return new SessionError('store_unavailable', 'The session store is closed. Open it again.')
}

function parsed(text: string, where: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw damaged(where, `is not complete JSON (${thrownText(error)})`, error)
  }
}

const runTexts = ['id', 'sessionId', 'agentId', 'agent', 'subject', 'status'] as const
const runNumbers = ['startedAt', 'lastActiveAt', 'cost', 'turns', 'calls'] as const
const runLists = ['messages', 'events', 'children', 'childRuns'] as const
const usageNumbers = ['input', 'output', 'cacheRead', 'cacheWrite', 'totalTokens'] as const

function problemOf(session: unknown): string | undefined {
  if (!isRecord(session)) return 'is not an object'
  const { id, agentId, createdAt, lastActiveAt, formation, runs } = session
  if (typeof agentId !== 'string') return 'has no agentId'
  if (!Number.isFinite(createdAt) || !Number.isFinite(lastActiveAt)) return 'has no times'
  if (!isRecord(formation) || typeof formation['kind'] !== 'string') return 'has no formation'
  if (!Array.isArray(runs)) return 'has no runs'
  const problem = runs.map((run: unknown) => runProblem(run, id)).findIndex((one) => one !== undefined)
  return problem < 0 ? undefined : `has no ${runProblem(runs[problem], id)} at run ${problem + 1}`
}

function runProblem(run: unknown, sessionId: unknown): string | undefined {
  if (!isRecord(run)) return 'object'
  if (run['sessionId'] !== sessionId) return 'sessionId of its own'
  const text = runTexts.find((field) => typeof run[field] !== 'string')
  const number = runNumbers.find((field) => !Number.isFinite(run[field]))
  const list = runLists.find((field) => !Array.isArray(run[field]))
  const { usage } = run
  const tokens = usageNumbers.find((field) => !isRecord(usage) || !Number.isFinite(usage[field]))
  return text ?? number ?? list ?? (tokens === undefined ? undefined : `usage.${tokens}`)
}
