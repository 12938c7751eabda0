import type { AgentEvent } from '../../core/domain/event.ts'
import { linked } from './merge-sessions.ts'
import { type KeptEventsOption, RunFold } from './recorded-run.ts'
import { SessionForming } from './session-forming.ts'
import type { RecordedRun, RecordedSession, SpawnedFrom } from './session-record.ts'

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
