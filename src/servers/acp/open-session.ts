import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import { defined } from '../../core/domain/text/json.ts'
import { type Agent, type Session, UsageError } from '../../index.ts'
import type { RunLabels } from '../../ports.ts'
import type { AttendedRun } from './attended-run.ts'
import type { AgentMaker } from './editor.ts'
import { type EditorParts, type Offer, offerOf } from './editor-session.ts'

interface SessionParts extends Omit<EditorParts, 'chosen'> {
  readonly make: AgentMaker
  /** The agent without a session. All agents of the connection have its name and its store. */
  readonly base: Agent
  /** The labels of a new session. */
  readonly labels?: RunLabels
}

/** A session that the editor has open, with the agent that was made for it. */
export class OpenSession {
  readonly closed = new AbortController()
  attending?: AttendedRun | undefined
  readonly #parts: SessionParts
  readonly #chosen = new Map<string, string>()
  #current: { readonly agent: Agent; readonly session: Session; readonly offer: Offer }
  #isStale = true

  constructor(parts: SessionParts) {
    this.#parts = parts
    const { base } = parts
    this.#current = { agent: base, session: this.#sessionOf(base), offer: offerOf(parts.cwd) }
  }

  get cwd(): string {
    return this.#parts.cwd
  }

  get agent(): Agent {
    return this.#current.agent
  }

  get session(): Session {
    return this.#current.session
  }

  /** Makes the agent, if something was chosen since, and returns what of the editor's offer was left out. */
  async renew(): Promise<readonly string[]> {
    if (!this.#isStale || this.attending !== undefined) return []
    const { make, base, cwd } = this.#parts
    const offer = offerOf(cwd, { ...this.#parts, chosen: this.#chosen })
    const agent = await make(offer)
    if (agent.name !== base.name || agent.store !== base.store) {
      if (agent !== base) await agent.close()
      throw new UsageError('bad_option', 'The agents of an editor differ. Give them one name and one store.')
    }
    const before = this.agent
    this.#current = { agent, session: this.#sessionOf(agent), offer }
    this.#isStale = false
    if (before !== base) await before.close()
    return offer.leftOut
  }

  /** Takes a choice of the person for the next prompt. Returns what is wrong with it. */
  async choose(id: string, value: unknown): Promise<string | undefined> {
    const choice = this.#current.offer.choices.find((one) => one.id === id)
    if (choice === undefined) return 'There is no such choice.'
    if (typeof value !== 'string' || !Object.hasOwn(choice.values, value)) {
      return `${choice.name} has the values ${Object.keys(choice.values).join(', ')}.`
    }
    this.#chosen.set(id, value)
    this.#isStale = true
    await this.renew()
    return undefined
  }

  /** The id of the choice that is the mode. */
  get modeId(): string | undefined {
    return this.#current.offer.choices.find(({ category }) => category === 'mode')?.id
  }

  /** The choices, and the mode among them once more for older editors. */
  get choices(): { configOptions?: SessionConfigOption[]; modes?: SessionModeState } {
    const options = this.#current.offer.choices.map((choice): SessionConfigOption => {
      const { id, name, description, category, values } = choice
      const named = Object.entries(values).map(([value, text]) => ({ value, name: text }))
      const currentValue = this.#chosen.get(id) ?? named[0]?.value ?? ''
      return { id, name, ...defined({ description, category }), type: 'select', currentValue, options: named }
    })
    const mode = options.find(({ id }) => id === this.modeId)
    const modes = mode?.type === 'select' && {
      currentModeId: mode.currentValue,
      availableModes: mode.options.map((one) => ({ id: 'value' in one ? one.value : one.group, name: one.name })),
    }
    return { ...(options.length > 0 && { configOptions: options }), ...(modes && { modes }) }
  }

  /** Ends the following of its run, and its agent. The run stays stored. */
  async leave(): Promise<void> {
    this.closed.abort()
    await this.attending?.ended.catch(() => undefined)
    if (this.agent !== this.#parts.base) await this.agent.close()
  }

  #sessionOf(agent: Agent): Session {
    const { sessionId, labels } = this.#parts
    return agent.session(sessionId, defined({ labels }))
  }
}
