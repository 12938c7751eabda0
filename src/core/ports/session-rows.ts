import type { SessionState, StoredSession } from '../domain/session-state.ts'
import type { FoundLease } from '../domain/store-error.ts'
import type { DamagedSession, ListedSession, SessionFilter } from './store-lists.ts'

/** A state of a session, in the place of the one of version `expected` (0: it is not stored yet). */
export interface SessionChange {
  readonly expected: number
  readonly state: SessionState
}

/**
 * What a store keeps of sessions. A commit with status `waiting` or `done`, and steering or a follow-up that is posted, are
 * an activity of the run's session, stored in the same transaction. Where the last run of a session is deleted, the
 * newest of its runs takes its place; where the deleted run went on from none, the session has no last run then.
 */
export interface SessionRows {
  /** A session; undefined where none of that id is stored. */
  session(id: string): Promise<StoredSession | undefined>
  /**
   * Replaces the state of a session where its version is `expected` (0: it is not stored yet), and gives the new version;
   * otherwise `session_conflict`. `activeAt` is an activity, in Unix milliseconds. `rotatedFrom` changes in the same
   * transaction the session that this one goes on from; where either has another version, nothing is stored.
   */
  changeSession(state: SessionState, expected: number, activeAt?: number, rotatedFrom?: SessionChange): Promise<number>
  /** Last active first. One that is active meanwhile moves to the front, so that later pages may lack it. */
  sessions(filter?: SessionFilter): Promise<readonly (ListedSession | DamagedSession)[]>
  /**
   * Removes a session with all its runs; refused with `run_is_driven` while a live lease holds one of them, and with
   * `session_is_read` while other runs go on from what they wrote, unless that is to be kept for them. `found` frees expired
   * leases of its runs, as it does in `delete`.
   */
  deleteSession(id: string, options?: DeleteSessionOptions, found?: readonly FoundLease[]): Promise<DeletedSession>
}

/** How a session is deleted of which other runs read something. */
export interface DeleteSessionOptions {
  /** `refuse` (default): `session_is_read`. `keep`: what they read stays for them alone, until the last of them is deleted. */
  readonly whereRead?: 'refuse' | 'keep'
  /**
   * Unix milliseconds: the session stays, and `isKept` says so, unless it has no run, and was last active before then; one
   * that was never active counts as of when it was created.
   */
  readonly emptySince?: number
}

/** What became of a session that was deleted. */
export interface DeletedSession {
  /** Its runs, the newest first. */
  readonly runs: readonly string[]
  /** True where the session stays as it was, as `emptySince` asked for. */
  readonly isKept?: boolean
  /** Runs without the session that go on from what its runs wrote, which is kept for them: at most 100. */
  readonly readers: readonly string[]
}
