import { isRunStatus } from './outcome.ts'
import { damageOf, type FoundRecords, type StoredRecord } from './records/found-records.ts'
import { drop, put, raise, type RecordChange, type RecordWrite } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf, type RowRead } from './records/record-read.ts'
import { checkedSession, sessionProblem, type SessionState, type StoredSession } from './session-state.ts'
import { StoreError } from './store-error.ts'
import { isRecord, type JsonObject } from './text/json.ts'

type KeptSession = Omit<SessionState, 'metadata'>

/**
 * Sessions by id. An activity raises `active` without reading the session. If the last run of a session is deleted, the
 * newest remaining run of its conversation replaces it, but never a run from before a reset.
 */
export const sessionKind = recordKind<KeptSession>({
  name: 'session',
  fields: { agent: 'text', subject: 'text', run: 'text', active: 'raised' },
  fieldsOf: ({ agent, subject = '', lastRun: run = '', createdAt: active }) => ({ agent, subject, run, active }),
  indexes: { active: ['active'], agent: ['agent', 'active'], subject: ['subject', 'active'], run: ['run'] },
  isNumberedOnce: true,
  isBody: (value): value is KeptSession =>
    isRecord(value) && typeof value['id'] === 'string' && sessionProblem({ ...value, metadata: {} }) === undefined,
  runGone: ({ lastRun: _, ...session }, successor) =>
    successor === undefined ? session : { ...session, lastRun: successor },
  wantsSuccessor: true,
})

/** The applications' metadata of sessions, stored apart because it seldom changes and may be large. */
export const metadataKind = recordKind<JsonObject>({
  name: 'metadata',
  fields: {},
  fieldsOf: () => ({}),
  indexes: {},
  isBody: (value): value is JsonObject => isRecord(value),
})

/** Changes that one session may have: what lies between the versions of two. */
const mostChanges = 2 ** 24

/** Returns the reads of a session and its metadata. */
export function sessionReads(id: string): readonly RowRead[] {
  return [rowOf(sessionKind, id), rowOf(metadataKind, id)]
}

/** Returns the session with this id, or undefined if it is not stored. Throws `record_damaged` if it cannot be read. */
export function sessionIn(found: FoundRecords, id: string): StoredSession | undefined {
  const row = found.row(sessionKind, id)
  return row && storedSession(row, found.row(metadataKind, id)?.body)
}

/** Returns a session from its records. */
export function storedSession(row: StoredRecord<KeptSession>, metadata: JsonObject = {}): StoredSession {
  const { key, body, raised = body.createdAt } = row
  return { ...body, metadata, version: versionOf(row), lastActivity: raised, ...activeIn(key, row) }
}

/**
 * Replaces the state of a session if its version is `expected` (0: not stored yet). `activeAt` is the time of an
 * activity, in Unix milliseconds. Throws a `UsageError` for an invalid state, and `session_conflict` for another
 * version.
 */
export function changeSession(state: SessionState, expected: number, activeAt?: number): RecordChange<undefined> {
  const { metadata, ...session } = checkedSession(state)
  const { id } = session
  return {
    reads: sessionReads(id),
    judge: (found) => {
      const row = found.row(sessionKind, id)
      const version = row === undefined ? 0 : versionOf(row)
      if (version !== expected) throw sessionConflict(id, version, expected)
      const known = found.row(metadataKind, id)?.body ?? {}
      return {
        answer: undefined,
        writes: [
          put(sessionKind, id, session),
          ...(activeAt === undefined ? [] : [raise(sessionKind, id, activeAt)]),
          ...(JSON.stringify(known) === JSON.stringify(metadata) ? [] : [put(metadataKind, id, metadata)]),
        ],
      }
    },
  }
}

/** Returns the write that records an activity of a session. */
export function activityOf(id: string, at: number): RecordWrite {
  return raise(sessionKind, id, at)
}

/** Removes a session; throws `session_unknown` if it does not exist. */
export function removeSession(id: string): RecordChange<undefined> {
  return {
    reads: sessionReads(id),
    judge: (found) => {
      if (!found.has(sessionKind, id))
        throw new StoreError('session_unknown', `The store has no session "${id}". Check the id, or list the sessions.`)
      return { answer: undefined, writes: removal(id) }
    },
  }
}

/** Removes a session if it still has this version and was not active since; otherwise the answer is false. */
export function removeIdleSession(id: string, version: number, since: number): RecordChange<boolean> {
  return {
    reads: sessionReads(id),
    judge: (found) => {
      const session = sessionIn(found, id)
      const isIdle = session?.version === version && (session.lastActivity ?? 0) < since
      return { answer: isIdle, writes: isIdle ? removal(id) : [] }
    },
  }
}

function removal(id: string): readonly RecordWrite[] {
  return [drop(sessionKind, id), drop(metadataKind, id)]
}

function versionOf({ number, version }: Pick<StoredRecord<KeptSession>, 'number' | 'version'>): number {
  return number * mostChanges + version
}

function activeIn(key: string, { body: { lastRun }, runStatus }: StoredRecord<KeptSession>) {
  if (lastRun === undefined || runStatus === undefined || runStatus === 'done') return {}
  if (!isRunStatus(runStatus)) throw damageOf(sessionKind, key)
  return { active: { runId: lastRun, status: runStatus } }
}

function sessionConflict(id: string, found: number, expected: number): StoreError {
  const name = (version: number) => (version === 0 ? 'not stored' : `at version ${version}`)
  return new StoreError(
    'session_conflict',
    `Session "${id}" is ${name(found)}; this change expected it to be ${name(expected)}. Nothing was written: read the session again.`,
  )
}
