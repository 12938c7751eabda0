import { type Agent, type PromptMessage, type Run, type Session as Conversation, textOf } from '../../../index.ts'
import type { Inspect } from '../../../ports.ts'
import { unusable } from '../terminal/cli-error.ts'
import { parentIn } from '../runs/run-parent.ts'
import type { NewRunAgent, Session } from '../setup/session.ts'

/** The id of the conversation, or undefined for a new one, and the inspector of its runs. */
export interface TalkOptions {
  readonly id: string | undefined
  readonly inspect: Inspect
}

/** A conversation of the command line: its agent, its session, and the position from which it continues. */
export class Talk {
  readonly #session: Session
  readonly #inspect: Inspect
  #made: NewRunAgent
  #conversation: Conversation
  /** The run of the last undone prompt: the next prompt branches before it. Undefined to continue at the end. */
  #undone: string | undefined

  constructor(session: Session, made: NewRunAgent, { id, inspect }: TalkOptions) {
    this.#session = session
    this.#made = made
    this.#inspect = inspect
    this.#conversation = made.agent.session(id)
  }

  get agent(): Agent {
    return this.#made.agent
  }

  get tools(): readonly string[] | undefined {
    return this.#made.tools
  }

  get root(): string {
    return this.#made.root
  }

  get conversation(): Conversation {
    return this.#conversation
  }

  /** Begins the run of a prompt, before an earlier prompt if that was undone. */
  async prompt(prompt: string | PromptMessage): Promise<Run> {
    const { details } = this.#made
    const undone = this.#undone
    if (undone === undefined) return await this.#conversation.prompt(prompt, details)
    const run = await this.#conversation.branch({ ...details, prompt, from: await this.#firstOf(undone) })
    this.#undone = undefined
    return run
  }

  /** Has the last prompt answered again. */
  async rerun(): Promise<Run> {
    this.#refuseUndone('/rerun')
    return await this.#conversation.rerun(this.#made.details)
  }

  /** Undoes the last prompt, or one more; returns that prompt, or undefined if there is none. */
  async undo(): Promise<string | undefined> {
    const { store, standingOf } = this.#session
    let last = this.#undone === undefined ? await this.#lastRun() : await this.#before(this.#undone)
    // Skips runs that only hold a transcript, because no prompt began them.
    while (last !== undefined && (await store.checkpoints(last)).length === 0) last = await this.#before(last)
    if (last === undefined) return undefined
    this.#undone = last
    const { prompt } = await store.record(last)
    if (prompt !== undefined) return prompt
    // A rerun was begun without a prompt, so its user message is returned.
    const said = (await standingOf(last)).messages.findLast(({ role }) => role === 'user')
    return said === undefined ? last : textOf(said)
  }

  /** Requests a smaller prompt for the next model call. */
  async compact(): Promise<void> {
    this.#refuseUndone('/compact')
    await this.#conversation.compact()
  }

  /** Continues in a new session with the same messages; returns its id. */
  async fork(): Promise<string> {
    this.#refuseUndone('/fork')
    return await this.#conversation.rotate()
  }

  /** Changes the model for the following prompts. */
  async changeModel(model: string): Promise<string> {
    const { id } = this.#conversation
    this.#made = await this.#session.agentForTalk(await this.#lastRun(), { model, inspect: this.#inspect })
    this.#conversation = this.agent.session(id)
    return this.#made.details.labels?.['model'] ?? model
  }

  /** Refuses a command that continues from the end of the conversation while a prompt is undone. */
  #refuseUndone(command: string): void {
    if (this.#undone === undefined) return
    const message = 'A prompt was taken back, and the next prompt replaces it.'
    throw unusable('prompt_undone', message, `Send that prompt first, then use ${command}.`)
  }

  async #lastRun(): Promise<string | undefined> {
    return (await this.#conversation.state())?.lastRun
  }

  async #before(runId: string): Promise<string | undefined> {
    const { store } = this.#session
    const parent = parentIn(await store.input(runId))?.parentRunId
    if (parent === undefined) return undefined
    return (await store.record(parent)).session === this.#conversation.id ? parent : undefined
  }

  /** Returns the checkpoint before the first model call. */
  async #firstOf(runId: string) {
    const [first] = await this.#session.store.checkpoints(runId)
    return { runId, version: first?.version ?? 1 }
  }
}
