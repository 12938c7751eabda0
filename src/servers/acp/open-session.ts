import type { AgentContext, SessionConfigOption, SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk'
import { changeSession } from '../../core/domain/session-record.ts'
import { canonicalJson, defined } from '../../core/domain/text/json.ts'
import { type Agent, type PromptMessage, type Run, type Session, UsageError } from '../../index.ts'
import type { RunLabels, StoredSession, StoredStanding } from '../../ports.ts'
import { attend, type Attended, type AttendedRun, type Seen } from './attended-run.ts'
import { type EditorParts, type Offer, offerOf } from './editor-session.ts'
import type { AgentMaker } from './editor.ts'
import { textChunk } from './updates.ts'

interface SessionParts extends Omit<EditorParts, 'chosen'> {
  readonly make: AgentMaker
  /** The agent without a session. All agents of the connection have its name and its store. */
  readonly base: Agent
  /** The labels of a new session. */
  readonly labels?: RunLabels
  /** The metadata of a stored session. */
  readonly stored?: StoredSession['metadata']
}

/** The field of a session's metadata with the choices that its last run began with. */
const choicesField = 'acpChoices'

/** A session that the editor has open, with the agent that was made for it. */
export class OpenSession implements Attended {
  readonly closed = new AbortController()
  #attending?: AttendedRun | undefined
  readonly #parts: SessionParts
  readonly #chosen: Map<string, string>
  #current: { readonly agent: Agent; readonly session: Session; readonly offer: Offer }
  #isStale = true
  #turn: Promise<unknown> = Promise.resolve()
  #cancels = 0

  constructor(parts: SessionParts) {
    this.#parts = parts
    const { base, stored = {} } = parts
    const chosen = Object.entries(stored[choicesField] ?? {})
    this.#chosen = new Map(chosen.flatMap(([id, value]) => (typeof value === 'string' ? [[id, value]] : [])))
    this.#current = { agent: base, session: this.#sessionOf(base), offer: offerOf(parts.cwd) }
  }

  get cwd(): string {
    return this.#parts.cwd
  }

  get client(): AgentContext {
    return this.#parts.client
  }

  get elicits(): boolean {
    return typeof (this.#parts.capabilities.elicitation?.form ?? undefined) === 'object'
  }

  get agent(): Agent {
    return this.#current.agent
  }

  get session(): Session {
    return this.#current.session
  }

  /** Begins work after the previous work has ended, so that no choice replaces the agent while a prompt begins. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  /** Cancels the run, and also the prompt that has not begun one yet. */
  async cancel(reason: string): Promise<void> {
    this.#cancels++
    await this.session.cancel(reason)
  }

  /** Returns a function that is true once the session was cancelled. */
  untilCancelled(): () => boolean {
    const before = this.#cancels
    return () => this.#cancels !== before
  }

  /** Begins a run, and stores the choices of its agent, which its driver uses after a load. */
  async begin(said: PromptMessage, details: { readonly userId?: string }): Promise<Run> {
    const stored = await this.session.state()
    const choices = Object.fromEntries(this.#chosen)
    const { store } = this.agent
    if (store && stored && canonicalJson(stored.metadata[choicesField] ?? {}) !== canonicalJson(choices)) {
      const { version, lastActivity: _, active: __, ...state } = stored
      await store.change(changeSession({ ...state, metadata: { ...state.metadata, [choicesField]: choices } }, version))
    }
    return this.session.prompt(said, details)
  }

  /** Follows a run to its end, and asks its questions again if it is being followed already. */
  follow(run: Run, seen: Seen): Promise<StoredStanding | undefined> {
    if (this.#attending?.runId === run.id) {
      this.#attending.askAgain()
      return this.#attending.ended
    }
    const attending = attend(run, this, seen)
    this.#attending = attending
    return attending.ended.finally(() => {
      if (this.#attending === attending) this.#attending = undefined
    })
  }

  async tell(update: SessionUpdate): Promise<void> {
    const { client, sessionId } = this.#parts
    await client.notify('session/update', { sessionId, update })
  }

  async say(text: string): Promise<void> {
    await this.tell(textChunk('agent_message_chunk', text))
  }

  /** Makes the agent, if something was chosen since, and returns what of the editor's offer was left out. */
  async renew(): Promise<readonly string[]> {
    if (!this.#isStale || this.#attending !== undefined || this.closed.signal.aborted) return []
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
    if (before !== base && before !== agent) await before.close()
    return offer.leftOut
  }

  /** Applies a person's choice, in turn, to the next prompt. Returns the problem of an invalid choice. */
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
      const chosen = this.#chosen.get(id) ?? ''
      const currentValue = Object.hasOwn(values, chosen) ? chosen : (named[0]?.value ?? '')
      return { id, name, ...defined({ description, category }), type: 'select', currentValue, options: named }
    })
    const mode = options.find(({ id }) => id === this.modeId)
    const modes = mode?.type === 'select' && {
      currentModeId: mode.currentValue,
      availableModes: mode.options.map((one) => ({ id: 'value' in one ? one.value : one.group, name: one.name })),
    }
    return { ...(options.length > 0 && { configOptions: options }), ...(modes && { modes }) }
  }

  /** Resolves when nothing is running: no work in turn, and no followed run. */
  async idle(): Promise<void> {
    await this.#turn
    await this.#attending?.ended.catch(() => undefined)
  }

  /** Ends the following of its run, and its agent. The run stays stored. */
  async leave(): Promise<void> {
    this.closed.abort()
    await this.idle()
    if (this.agent !== this.#parts.base) await this.agent.close()
  }

  #sessionOf(agent: Agent): Session {
    const { sessionId, labels } = this.#parts
    const metadata = { [choicesField]: Object.fromEntries(this.#chosen) }
    return agent.session(sessionId, { ...defined({ labels }), ...(this.#chosen.size > 0 && { metadata }) })
  }
}
