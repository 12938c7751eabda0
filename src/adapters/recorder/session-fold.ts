import type { AgentEvent } from '../../core/domain/event.ts'
import { linked } from './merge-sessions.ts'
import { type KeptEventsOption, RunFold } from './recorded-run.ts'
import type { RecordedRun, RecordedSession, SessionFormation, SpawnedFrom } from './session-record.ts'
import { sessionIdOf } from './session-id.ts'

/** Options of a record. */
export interface RecordOptions {
  /** Milliseconds of inactivity after which runs without a session begin another. Default: a session per subject. */
  readonly inactivityMs?: number
  /** The events of records: all without passing ones (`lifecycle`, the default), `all` with deltas, or `none`. */
  readonly events?: KeptEventsOption
}

/** Folds the events of runs into sessions. */
export class SessionFold {
  readonly #runs = new Map<string, RunFold>()
  readonly #forming: SessionForming
  readonly #options: RecordOptions

  constructor(options: RecordOptions) {
    this.#options = options
    this.#forming = new SessionForming(options.inactivityMs)
  }

  add(event: AgentEvent): void {
    const { runId, at } = event
    const known = this.#runs.get(runId)
    const run = known ?? new RunFold(runId, at)
    if (!run.add(event, this.#options.events)) return
    this.#runs.set(runId, run)
    if (known === undefined || event.type === 'run.started')
      run.sessionId = this.#forming.sessionOf(run, this.#runs.get(run.started?.parentRunId ?? ''))
    this.#forming.hasBeenActive(run.sessionId, run.agentId, at)
  }

  /** Closes a run as aborted, at its last event. */
  close(runId: string): void {
    this.#runs.get(runId)?.close()
  }

  sessions(): readonly RecordedSession[] {
    const records = [...this.#runs.values()].map((run) => this.#recordOf(run))
    return [...Map.groupBy(records, ({ sessionId }) => sessionId)]
      .map(([id, runs]) => this.#sessionOf(id, runs))
      .sort((left, right) => right.lastActiveAt - left.lastActiveAt)
  }

  #recordOf(run: RunFold): RecordedRun {
    const record = run.record()
    const childRuns = record.childRuns.map((child) => {
      const sessionId = this.#runs.get(child.runId)?.sessionId
      return sessionId === undefined ? child : { ...child, sessionId }
    })
    return { ...record, childRuns }
  }

  #sessionOf(id: string, runs: readonly RecordedRun[]): RecordedSession {
    const { agentId, formation } = this.#forming.known(id)
    const spawnedFrom = this.#spawnOf(runs)
    return linked({
      id,
      agentId,
      createdAt: Math.min(...runs.map(({ startedAt }) => startedAt)),
      lastActiveAt: Math.max(...runs.map(({ lastActiveAt }) => lastActiveAt)),
      formation,
      ...(spawnedFrom === undefined ? {} : { spawnedFrom }),
      runs,
    })
  }

  /** Returns the call of another session that these runs worked for. */
  #spawnOf(runs: readonly RecordedRun[]): SpawnedFrom | undefined {
    for (const { id, sessionId } of runs) {
      for (const parent of this.#runs.values()) {
        const call = parent.childRuns.find(({ runId }) => runId === id)
        if (call === undefined || parent.sessionId === sessionId) continue
        const { callId, toolName } = call
        return { runId: parent.id, sessionId: parent.sessionId, callId, toolName }
      }
      const runId = this.#runs.get(id)?.spawnedBy
      const parent = this.#runs.get(runId ?? '')
      if (runId === undefined || parent?.sessionId === sessionId) continue
      return { runId, ...(parent === undefined ? {} : { sessionId: parent.sessionId }) }
    }
    return undefined
  }
}

interface FormedSession {
  readonly agentId: string
  readonly formation: SessionFormation
}

/** Finds the session that a run belongs to, and the origin of that session. */
export class SessionForming {
  readonly #inactivityMs: number | undefined
  readonly #known = new Map<string, FormedSession>()
  /** The latest session of each agent's runs without a session, with its last activity in Unix milliseconds. */
  readonly #latest = new Map<string, { readonly sessionId: string; at: number }>()

  constructor(inactivityMs: number | undefined) {
    this.#inactivityMs = inactivityMs
  }

  /** Returns the session of a run that is new; `parent` is the run that it names, if that is known. */
  sessionOf(run: RunFold, parent: RunFold | undefined): string {
    const { started } = run
    if (started?.session !== undefined) return this.#formed(sessionIdOf(started.session), run, { kind: 'explicit' })
    if (this.#inactivityMs !== undefined) return this.#byActivity(run, this.#inactivityMs)
    if (started?.continuation !== undefined && parent !== undefined) return parent.sessionId
    return this.#formed(this.#bySubject(run), run, { kind: 'firstRun' })
  }

  hasBeenActive(sessionId: string, agentId: string, at: number): void {
    const latest = this.#latest.get(agentId)
    if (latest?.sessionId === sessionId) latest.at = Math.max(latest.at, at)
  }

  known(sessionId: string): FormedSession {
    return this.#known.get(sessionId) ?? { agentId: '', formation: { kind: 'firstRun' } }
  }

  #formed(sessionId: string, { agentId }: RunFold, formation: SessionFormation): string {
    const known = this.#known.get(sessionId)
    // Events before the start of a run name no agent.
    if (known === undefined || known.agentId === '') this.#known.set(sessionId, { agentId, formation })
    return sessionId
  }

  /** The same conversation with another agent is another session. */
  #bySubject({ view, agentId }: RunFold): string {
    const sessionId = sessionIdOf(view.subject)
    const { agentId: owner } = this.known(sessionId)
    return owner === '' || owner === agentId ? sessionId : sessionIdOf(`${view.subject}.${agentId}`)
  }

  #byActivity(run: RunFold, afterMs: number): string {
    const { agentId, view } = run
    const latest = this.#latest.get(agentId)
    if (latest !== undefined && view.at - latest.at <= afterMs) return latest.sessionId
    const sessionId = this.#formed(sessionIdOf(run.id), run, { kind: 'inactivityTimeout', afterMs })
    this.#latest.set(agentId, { sessionId, at: view.at })
    return sessionId
  }
}
