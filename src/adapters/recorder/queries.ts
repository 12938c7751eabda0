import { addUsage, noUsage, type Usage } from '../../core/domain/usage.ts'
import { checkSession } from './merge-sessions.ts'
import type { RecordedRun, RecordedSession } from './session-record.ts'

/** Returns the run of a session by its id, or undefined. */
export function runOf(session: RecordedSession, runId: string): RecordedRun | undefined {
  checkSession(session, { field: 'session', owner: 'runOf' })
  return session.runs.find(({ id }) => id === runId)
}

/** Returns the runs of a session without a parent in it, in the order in which they began. */
export function rootRuns(session: RecordedSession): readonly RecordedRun[] {
  checkSession(session, { field: 'session', owner: 'rootRuns' })
  const ids = new Set(session.runs.map(({ id }) => id))
  return session.runs.filter(
    ({ id, parentRunId }) => parentRunId === undefined || parentRunId === id || !ids.has(parentRunId),
  )
}

/**
 * Returns the runs of a session that name one of its runs as their parent. Those in other sessions are its `childRuns`.
 */
export function childrenOf(session: RecordedSession, runId: string): readonly RecordedRun[] {
  checkSession(session, { field: 'session', owner: 'childrenOf' })
  return session.runs.filter(({ id, parentRunId }) => parentRunId === runId && id !== runId)
}

/**
 * Returns the runs that began side by side with a run, without the run itself, in the order of their configurations.
 */
export function parallelSiblings(session: RecordedSession, runId: string): readonly RecordedRun[] {
  checkSession(session, { field: 'session', owner: 'parallelSiblings' })
  const ids = runOf(session, runId)?.parallelGroup?.runIds ?? []
  return ids.flatMap((id) => (id === runId ? [] : (runOf(session, id) ?? [])))
}

/** Returns the usage of all runs of a session, and its cost in US dollars. */
export function totalUsage(session: RecordedSession): { readonly usage: Usage; readonly cost: number } {
  checkSession(session, { field: 'session', owner: 'totalUsage' })
  const { runs } = session
  return {
    usage: runs.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    cost: runs.reduce((sum, { cost }) => sum + cost, 0),
  }
}
