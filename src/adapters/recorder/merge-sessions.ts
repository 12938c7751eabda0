import { isOver, type ParallelGroup, type RecordedRun, type RecordedSession } from './session-record.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import { expecting } from '../../core/domain/text/option-shape.ts'
import { isText } from '../../core/domain/text/shape.ts'

/** Returns a session with the runs of both records. A recorded end is never replaced by a record without an end. */
export function mergeSessions(earlier: RecordedSession, later: RecordedSession): RecordedSession {
  for (const [field, session] of Object.entries({ earlier, later }))
    checkSession(session, { field, owner: 'mergeSessions' })
  const runs = new Map(earlier.runs.map((run) => [run.id, run]))
  for (const run of later.runs) {
    const known = runs.get(run.id)
    if (known === undefined || !hasEnded(known) || hasEnded(run)) runs.set(run.id, run)
  }
  return linked({
    ...later,
    agentId: earlier.agentId,
    formation: earlier.formation,
    createdAt: Math.min(earlier.createdAt, later.createdAt),
    lastActiveAt: Math.max(earlier.lastActiveAt, later.lastActiveAt),
    ...(earlier.spawnedFrom === undefined ? {} : { spawnedFrom: { ...earlier.spawnedFrom, ...later.spawnedFrom } }),
    runs: [...runs.values()],
  })
}

function hasEnded(run: RecordedRun): boolean {
  return isOver(run) && run.isFlushed !== true
}

/**
 * Returns a session with its runs in order, each with its children and its parallel runs. A child in its own session is
 * not listed as a child of another session.
 */
export function linked(session: RecordedSession): RecordedSession {
  const runs = session.runs.toSorted((left, right) => left.startedAt - right.startedAt)
  const ids = new Set(runs.map(({ id }) => id))
  const groups = parallelGroups(runs)
  const children = Map.groupBy(runs, ({ parentRunId }) => parentRunId)
  return {
    ...session,
    runs: runs.map((run) => {
      const { childRuns } = run
      const foreign = new Map(childRuns.flatMap((child) => (ids.has(child.runId) ? [] : [[child.runId, child]])))
      const own = (children.get(run.id) ?? []).filter(({ id }) => id !== run.id)
      const group = groups.get(run.parallelGroup?.id)
      return {
        ...run,
        children: own.map(({ id }) => id),
        childRuns: [...foreign.values()],
        ...(group && { parallelGroup: { ...run.parallelGroup, ...group, isSelected: group.selectedRunId === run.id } }),
      }
    }),
  }
}

type Group = Pick<ParallelGroup, 'runIds' | 'selectedRunId' | 'selectedIndex'>

/** Returns the named groups. The selected run of a group is the last one that another run continues. */
function parallelGroups(runs: readonly RecordedRun[]): ReadonlyMap<string | undefined, Group> {
  const named = runs.filter(({ parallelGroup }) => parallelGroup?.id !== undefined)
  const parents = runs.filter(({ continuation }) => continuation !== undefined).map(({ parentRunId }) => parentRunId)
  const groups = [...Map.groupBy(named, ({ parallelGroup }) => parallelGroup?.id)].map(([id, members]) => {
    const runIds = members.map((run) => run.id)
    const selectedRunId = parents.findLast((parent) => parent !== undefined && runIds.includes(parent))
    if (selectedRunId === undefined) return [id, { runIds }] as const
    return [id, { runIds, selectedRunId, selectedIndex: runIds.indexOf(selectedRunId) }] as const
  })
  return new Map(groups)
}

/** Throws a `UsageError` for anything but a recorded session. */
export const checkSession = expecting(
  'a recorded session, as a recorder or a session store gives it',
  (session) => isRecord(session) && isText(session['id']) && areRuns(session['runs']),
)

function areRuns(runs: unknown): boolean {
  return Array.isArray(runs) && runs.every((run) => isRecord(run) && isText(run['id']))
}
