import { changeSession } from '../domain/session-record.ts'
import type { SessionState, StoredSession } from '../domain/session-state.ts'
import { type RecordChange, together } from '../domain/records/record-change.ts'
import { StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { findSession } from '../driving/find-sessions.ts'
import { refuseUnlessDone } from '../driving/read-original.ts'
import { refuseOthers, type SessionBeginning } from './session-beginning.ts'

/** A session, with the data to begin it if it is not stored. */
export interface SessionPlace {
  readonly core: AgentCore
  readonly id: string
  readonly begun: SessionBeginning
  /** Changes also the session of another agent. */
  readonly adopts?: boolean
}

/**
 * Returns the session as it is stored, or as it would begin. Throws a `UsageError` for the session of another agent or
 * of others.
 */
export async function readSession({ core, id, begun, adopts = false }: SessionPlace): Promise<StoredSession> {
  const { store, agentId, clock } = core
  const stored = await findSession(store, id)
  if (stored === undefined) {
    const { subject, metadata } = begun
    const state = { id, agent: agentId, metadata, createdAt: clock.now(), counters: {}, runs: 0, queued: [] }
    return { ...state, version: 0, ...(subject === undefined ? {} : { subject }) }
  }
  refuseOthers(stored, begun)
  if (stored.agent === agentId || adopts) return stored
  const wish = `Continue it with the agent of the id "${stored.agent}", or choose another session id.`
  throw new UsageError(
    'other_agent',
    `Session "${id}" belongs to the agent "${stored.agent}", not to "${agentId}". ${wish}`,
  )
}

/** Returns the stored part of a session. */
export function stateOf({ version: _, lastActivity: __, active: ___, ...state }: StoredSession): SessionState {
  return state
}

/** Throws a `UsageError` with advice while a run of the session is under way or waits. */
export function refuseWhileActive({ active }: StoredSession): void {
  if (active !== undefined) refuseUnlessDone({ id: active.runId, status: active.status })
}

/** Changes a session, or returns undefined for another try. `taken` run ids are in use. */
type Change<Result> = (session: StoredSession, taken: number) => Promise<Result | undefined>

const mostTries = 100

/**
 * Changes a session, and tries again if somebody else changed it meanwhile. Each failed attempt means that another one
 * succeeded.
 */
export async function changing<Result>(place: SessionPlace, change: Change<Result>): Promise<Result> {
  let taken = 0
  for (let tries = 1; ;) {
    place.core.openRuns.refuseIfClosed()
    const session = await readSession(place)
    try {
      const result = await change(session, taken)
      if (result !== undefined) return result
    } catch (error) {
      if (isTaken(error) && (await versionOf(place)) === session.version) taken++
      else if (tries++ >= mostTries || !(await isChanged(place, session, error))) throw error
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'run_exists'
}

async function versionOf({ core, id }: SessionPlace): Promise<number> {
  return (await findSession(core.store, id))?.version ?? 0
}

/** Returns true if an error is due to a concurrent change of the session. */
async function isChanged(place: SessionPlace, { version }: StoredSession, error: unknown): Promise<boolean> {
  if (!(error instanceof StoreError)) return false
  if (error.code === 'session_conflict' || error.code === 'session_unknown' || isTaken(error)) return true
  // A run of it is gone: with the session, or by itself.
  return error.code === 'run_unknown' && (await versionOf(place)) !== version
}

interface Keeping {
  readonly activeAt?: number
  readonly others?: readonly RecordChange<unknown>[]
}

/** Replaces the state that was read by a new one. */
export async function keepState(
  { core }: Pick<SessionPlace, 'core'>,
  state: SessionState,
  { version }: Pick<StoredSession, 'version'>,
  { activeAt, others = [] }: Keeping = {},
): Promise<void> {
  await core.store.change(together(changeSession(state, version, activeAt), ...others))
}
