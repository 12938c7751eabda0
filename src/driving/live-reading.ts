import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import { originOf } from '../domain/run-origin.ts'
import type { LiveAnswer } from '../ports/live-answers.ts'
import type { AgentCore } from './agent-core.ts'

/** Reads the answer under way of a run that another process drives, and tells it to those who hear the run here. */
export class LiveReading {
  readonly #core: AgentCore
  readonly #runId: string
  #subject: string | undefined
  #before: LiveAnswer | undefined
  #leave: (() => void) | undefined

  constructor(core: AgentCore, runId: string) {
    this.#core = core
    this.#runId = runId
  }

  /** Asks only where somebody here hears the run; of several who follow it, one asks. */
  async look(): Promise<void> {
    const { store, watchers, clock } = this.#core
    if (!watchers.isWatched(this.#runId)) return
    this.#leave ??= watchers.follow(this.#runId)
    if (this.#leave === undefined) return
    const answer = await store.live(this.#runId)
    this.#subject ??= await this.#readSubject()
    if (this.#before !== undefined && answer === undefined) watchers.driven(this.#runId)
    for (const event of this.#news(answer, this.#subject, clock.now())) watchers.tell(event)
  }

  /** An answer that was told in part is told to nobody who joins later. */
  end(): void {
    if (this.#before !== undefined) this.#core.watchers.driven(this.#runId)
    this.#before = undefined
    this.#leave?.()
    this.#leave = undefined
  }

  async #readSubject(): Promise<string> {
    const { store } = this.#core
    const { agent } = await store.record(this.#runId)
    return originOf(this.#runId, agent, await store.input(this.#runId)).subject
  }

  /** What there is more than at the last look. */
  #news(answer: LiveAnswer | undefined, subject: string, at: number): readonly AgentEvent[] {
    const before = this.#before
    this.#before = answer
    if (answer === undefined) return []
    const { turn, deltas } = answer
    const head = { runId: this.#runId, subject, at, turn }
    const goesOn = before?.turn === turn && isBeginning(before.deltas, deltas)
    const events: AgentEvent[] = goesOn ? [] : [{ type: 'message.started', ...head, role: 'assistant' }]
    const known = goesOn ? before.deltas : []
    for (const [index, delta] of deltas.entries()) {
      const text = delta.delta.slice(known[index]?.delta.length ?? 0)
      if (text !== '') events.push({ type: 'message.updated', ...head, delta: { ...delta, delta: text } })
    }
    return events
  }
}

/** Another attempt at the same turn begins anew. */
function isBeginning(before: readonly MessageDelta[], now: readonly MessageDelta[]): boolean {
  return before.every(({ type, delta }, index) => now[index]?.type === type && now[index].delta.startsWith(delta))
}
