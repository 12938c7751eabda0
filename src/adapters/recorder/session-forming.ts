import type { RunFold } from './recorded-run.ts'
import { sessionIdOf } from './session-id.ts'
import type { SessionFormation } from './session-record.ts'

interface FormedSession {
  readonly agentId: string
  readonly formation: SessionFormation
}

/** Finds the session that a run belongs to, and how that session came about. */
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

  /** The same conversation under another agent is another session. */
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
