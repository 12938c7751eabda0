import type { HeardRun } from './recorded-run.ts'
import { sessionIdOf } from './session-id.ts'
import type { RecordedSession, SessionFormation, SpawnedFrom } from './session-record.ts'

interface FormedSession {
  readonly agentId: string
  readonly formation: SessionFormation
  readonly createdAt?: number
  readonly spawnedFrom?: SpawnedFrom
}

/** Says which session a run belongs to, and how that session came about. */
export class SessionForming {
  readonly #inactivityMs: number | undefined
  readonly #known = new Map<string, FormedSession>()
  /** By agent: the session of its runs that name none, and when it was last active, in Unix milliseconds. */
  readonly #latest = new Map<string, { readonly sessionId: string; at: number }>()

  constructor(inactivityMs: number | undefined) {
    this.#inactivityMs = inactivityMs
  }

  /** The session of a run that was just heard of; `parent` is the run it names, where that is known. */
  sessionOf(run: HeardRun, parent: HeardRun | undefined): string {
    const { started } = run
    if (started?.session !== undefined) return this.#formed(sessionIdOf(started.session), run, { kind: 'explicit' })
    if (this.#inactivityMs !== undefined) return this.#byActivity(run, this.#inactivityMs)
    if (started?.continuation !== undefined && parent !== undefined) return parent.sessionId
    return this.#formed(this.#bySubject(run), run, { kind: 'firstRun' })
  }

  /** A session of this id was active. */
  hasBeenActive(sessionId: string, agentId: string, at: number): void {
    const latest = this.#latest.get(agentId)
    if (latest?.sessionId === sessionId) latest.at = Math.max(latest.at, at)
  }

  known(sessionId: string): FormedSession | undefined {
    return this.#known.get(sessionId)
  }

  adopt({ id, agentId, formation, createdAt, lastActiveAt, spawnedFrom }: RecordedSession): void {
    this.#known.set(id, { agentId, formation, createdAt, ...(spawnedFrom === undefined ? {} : { spawnedFrom }) })
    const latest = this.#latest.get(agentId)
    const isLatest = latest === undefined || latest.at < lastActiveAt
    if (formation.kind === 'inactivityTimeout' && isLatest)
      this.#latest.set(agentId, { sessionId: id, at: lastActiveAt })
  }

  /** Which session an agent's runs are in stays known: another run may follow. */
  forget(sessionId: string): void {
    const formed = this.#known.get(sessionId)
    const isLatest = formed !== undefined && this.#latest.get(formed.agentId)?.sessionId === sessionId
    if (!isLatest) this.#known.delete(sessionId)
  }

  #formed(sessionId: string, { agentId }: HeardRun, formation: SessionFormation): string {
    const known = this.#known.get(sessionId)
    // What was heard before its start told of no agent.
    if (known === undefined || known.agentId === '') this.#known.set(sessionId, { ...known, agentId, formation })
    return sessionId
  }

  /** A conversation is one session, and that of another agent under the same name another. */
  #bySubject({ view, agentId }: HeardRun): string {
    const sessionId = sessionIdOf(view.subject)
    const owner = this.#known.get(sessionId)?.agentId
    return owner === undefined || owner === '' || owner === agentId
      ? sessionId
      : sessionIdOf(`${view.subject}.${agentId}`)
  }

  #byActivity(run: HeardRun, afterMs: number): string {
    const { agentId, view } = run
    const latest = this.#latest.get(agentId)
    if (latest !== undefined && view.at - latest.at <= afterMs) return latest.sessionId
    const sessionId = this.#formed(sessionIdOf(run.id), run, { kind: 'inactivityTimeout', afterMs })
    this.#latest.set(agentId, { sessionId, at: view.at })
    return sessionId
  }
}
