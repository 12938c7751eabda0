import { checkEvent, checkEvents } from '../../core/domain/check-event.ts'
import type { AgentEvent } from '../../core/domain/event.ts'
import { checkOptions, number, oneOf, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { checkSession } from './check-session.ts'
import { linked, mergeRuns } from './merge-sessions.ts'
import { HeardRun, type KeptEventsOption } from './recorded-run.ts'
import { SessionForming } from './session-forming.ts'
import { isOver, type RecordedRun, type RecordedSession, type SpawnedFrom } from './session-record.ts'

/** How a recorder records; all of it optional. */
export interface RecorderOptions {
  /**
   * Runs that name no session form one of their agent's: the one before is left after strictly more than this many
   * milliseconds without any activity. Default: such runs form a session by their subject, the conversation.
   */
  readonly inactivityMs?: number
  /** Which events records keep: all but those of work under way (`lifecycle`, the default), `all` with deltas, or `none`. */
  readonly events?: KeptEventsOption
}

/** Makes sessions and run records of events. */
export interface SessionRecorder {
  /** Takes in an event of a run this process drives; may be handed to `agent.on` as it is. */
  readonly record: (event: AgentEvent) => void
  /** Takes in stored events, such as `run.events({ deltas: false })`, of a run whoever drives it: `flush` leaves such a run. */
  recordStored(events: Iterable<AgentEvent> | AsyncIterable<AgentEvent>): Promise<void>
  /** Goes on with a session that was recorded before, so that what its runs tell from now on stands in its place. */
  adopt(session: RecordedSession): void
  /** Every session known here, the last active one first. */
  sessions(): readonly RecordedSession[]
  session(sessionId: string): RecordedSession | undefined
  /** The runs that are not over: pending, running and waiting ones. */
  current(): readonly RecordedRun[]
  /**
   * Closes what this process has left open as aborted, at its last event; of a turn that was cut off only what was said to
   * the run stays. Waiting runs, and runs it knows of stored events alone, stay as they are.
   */
  flush(): void
  /** Gives the sessions in which every run is over, and forgets them; a store merges what comes of them later. */
  drainCompleted(): readonly RecordedSession[]
}

const shape: OptionShape<RecorderOptions> = {
  inactivityMs: optional(number('a number of milliseconds of 0 or more', (ms) => ms >= 0)),
  events: optional(oneOf('none', 'lifecycle', 'all')),
}

/**
 * Records runs by their events as they come, or stored ones. What was heard before changes nothing. Throws a `UsageError`
 * `bad_option` for an option that is refused, and later for an event or a session that is none.
 *
 * @example
 * const recorder = sessionRecorder()
 * agent.on(recorder.record)
 */
export function sessionRecorder(options: RecorderOptions = {}): SessionRecorder {
  checkOptions('sessionRecorder', options, shape)
  const { inactivityMs, events: kept = 'lifecycle' } = options
  const heard = new Map<string, HeardRun>()
  const adopted = new Map<string, RecordedRun>()
  const forming = new SessionForming(inactivityMs)

  function hear(event: AgentEvent, isOwn: boolean): void {
    const { runId, at } = event
    const before = heard.get(runId)
    const isAnew = before === undefined || before.isNewStart(event)
    const run = isAnew ? new HeardRun(runId, at) : before
    run.isOwn = isOwn || before?.isOwn === true
    if (!run.hear(event, kept)) return
    heard.set(runId, run)
    if (isAnew || event.type === 'run.started') {
      run.sessionId = adopted.get(runId)?.sessionId ?? forming.sessionOf(run, heard.get(run.started?.parentRunId ?? ''))
    }
    forming.hasBeenActive(run.sessionId, run.agentId, at)
  }

  function recordOf(run: HeardRun): RecordedRun {
    const earlier = adopted.get(run.id)
    const record = run.record()
    const childRuns = record.childRuns.map((child) => {
      const sessionId = (heard.get(child.runId) ?? adopted.get(child.runId))?.sessionId
      return sessionId === undefined ? child : { ...child, sessionId }
    })
    const told = { ...record, childRuns }
    return earlier === undefined ? told : mergeRuns(earlier, told)
  }

  function records(): readonly RecordedRun[] {
    const untold = [...adopted.values()].filter(({ id }) => !heard.has(id))
    return [...untold, ...[...heard.values()].map(recordOf)]
  }

  function sessions(): readonly RecordedSession[] {
    const groups = Map.groupBy(records(), ({ sessionId }) => sessionId)
    return [...groups]
      .map(([id, runs]) => sessionWith(id, runs))
      .sort((left, right) => right.lastActiveAt - left.lastActiveAt)
  }

  function sessionWith(id: string, runs: readonly RecordedRun[]): RecordedSession {
    const known = forming.known(id)
    const [first] = runs.toSorted((left, right) => left.startedAt - right.startedAt)
    const spawnedFrom = known?.spawnedFrom ?? spawnOf(runs)
    return linked({
      id,
      agentId: known?.agentId || (first?.agentId ?? ''),
      createdAt: Math.min(known?.createdAt ?? Number.POSITIVE_INFINITY, first?.startedAt ?? 0),
      lastActiveAt: Math.max(...runs.map(({ lastActiveAt }) => lastActiveAt)),
      formation: known?.formation ?? { kind: 'firstRun' },
      ...(spawnedFrom === undefined ? {} : { spawnedFrom }),
      runs,
    })
  }

  /** The call of another session that had one of these runs work for it. */
  function spawnOf(runs: readonly RecordedRun[]): SpawnedFrom | undefined {
    for (const { id, sessionId, parentRunId } of runs) {
      const parents = [...heard.values()].filter((parent) => parent.sessionId !== sessionId)
      for (const parent of parents) {
        const call = parent.childRuns.find(({ runId }) => runId === id)
        if (call === undefined) continue
        const { callId, toolName } = call
        return { runId: parent.id, sessionId: parent.sessionId, callId, toolName }
      }
      if (parentRunId === undefined || heard.get(id)?.spawnedBy === undefined) continue
      const parent = heard.get(parentRunId)
      if (parent?.sessionId !== sessionId) {
        return { runId: parentRunId, ...(parent === undefined ? {} : { sessionId: parent.sessionId }) }
      }
    }
    return undefined
  }

  return {
    record: (event) => {
      checkEvent(event, { field: 'event', owner: 'record' })
      hear(event, true)
    },
    async recordStored(events) {
      checkEvents(events, { field: 'events', owner: 'recordStored' })
      for await (const event of events) {
        checkEvent(event, { field: 'event', owner: 'recordStored' })
        hear(event, false)
      }
    },
    adopt(session) {
      checkSession(session, { field: 'session', owner: 'adopt' })
      forming.adopt(session)
      for (const run of session.runs) adopted.set(run.id, run)
    },
    sessions,
    session: (sessionId) => sessions().find(({ id }) => id === sessionId),
    current: () => records().filter((run) => !isOver(run)),
    flush() {
      for (const run of heard.values()) {
        if (run.isOwn && run.isOpen && run.view.status !== 'waiting') run.flush()
      }
    },
    drainCompleted() {
      const completed = sessions().filter(({ runs }) => runs.every(isOver))
      for (const { id, runs } of completed) {
        forming.forget(id)
        for (const run of runs) heard.delete(run.id)
        for (const run of runs) adopted.delete(run.id)
      }
      return completed
    },
  }
}
