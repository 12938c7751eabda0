import type { AgentEvent } from '../../core/domain/event.ts'
import { canonicalJson, type Json } from '../../core/domain/text/json.ts'
import type { TranscriptMessage } from '../../core/domain/transcript-message.ts'
import { addUsage, noUsage } from '../../core/domain/usage.ts'
import { toolCallsOf } from '../../core/domain/message.ts'
import { checkSession } from './check-session.ts'
import { isOver, type ParallelGroup, type RecordedRun, type RecordedSession } from './session-record.ts'

/**
 * A session as it was recorded before with what was recorded since. Runs are told apart by their ids, and one that is only
 * in either stays; an end that was heard is never replaced by a record that has not heard it.
 */
export function mergeSessions(earlier: RecordedSession, later: RecordedSession): RecordedSession {
  for (const [field, session] of Object.entries({ earlier, later }))
    checkSession(session, { field, owner: 'mergeSessions' })
  const runs = new Map(earlier.runs.map((run) => [run.id, run]))
  for (const run of later.runs) {
    const known = runs.get(run.id)
    runs.set(run.id, known === undefined ? run : mergeRuns(known, run))
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

/** One run of two records of it. A later record that has not heard its start goes on from the earlier one. */
export function mergeRuns(earlier: RecordedRun, later: RecordedRun): RecordedRun {
  const wasHeard = isOver(earlier) && earlier.isFlushed !== true
  if (wasHeard && (!isOver(later) || later.isFlushed === true || later.isPartial === true)) return earlier
  if (later.isPartial !== true) return later
  const messages = inPlaces(earlier.messages, later.messages)
  const answers = messages.filter((message) => message.role === 'assistant')
  const { endedAt: _, outcome: __, isFlushed: ___, ...known } = earlier
  const { isPartial: ____, ...news } = later
  // What ended tells all its usage; of a run that goes on it is that of the answers there are.
  const isTold = later.endedAt !== undefined && later.isFlushed !== true
  return {
    ...known,
    ...news,
    agent: earlier.agent,
    agentId: earlier.agentId,
    startedAt: earlier.startedAt,
    metadata: earlier.metadata,
    messages,
    turns: answers.length,
    calls: answers.reduce((sum, answer) => sum + toolCallsOf(answer).length, 0),
    usage: isTold ? later.usage : answers.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    cost: isTold ? later.cost : answers.reduce((sum, { cost = 0 }) => sum + cost, 0),
    events: withoutRepeats([...earlier.events, ...later.events]),
    childRuns: [...earlier.childRuns, ...later.childRuns],
  }
}

/** A record may be saved again and again. */
function withoutRepeats(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return [...new Map(events.map((event) => [canonicalJson(event as unknown as Json), event])).values()]
}

function inPlaces(
  earlier: readonly TranscriptMessage[],
  later: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  const places = new Map([...earlier, ...later].map((message) => [message.place, message]))
  return [...places.values()].sort((left, right) => left.place - right.place)
}

/** The session with its runs in order, each with its children, its parallel runs, and without a child of its own session as a foreign one. */
export function linked(session: RecordedSession): RecordedSession {
  const runs = session.runs.toSorted(byStart)
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

/** The groups that a name tells apart. The run of a group that another run goes on from last is the selected one. */
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

function byStart(left: RecordedRun, right: RecordedRun): number {
  return left.startedAt - right.startedAt
}
