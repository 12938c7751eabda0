import type { MessageDelta } from '../domain/event.ts'
import { originOf } from '../domain/run-origin.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import type { AgentCore } from './agent-core.ts'
import { readLiveAnswer } from './live-answers.ts'

/** Reads the answer under way of a run that another process drives, and tells it to those who hear the run here. */
export class LiveReading {
  readonly #core: AgentCore
  readonly #runId: string
  #subject: string | undefined
  #leave: (() => void) | undefined

  constructor(core: AgentCore, runId: string) {
    this.#core = core
    this.#runId = runId
  }

  /** Asks only where somebody here hears the run, and nobody here drives it; of several at one time, one asks. */
  async look(): Promise<void> {
    const { openRuns, store, watchers, clock } = this.#core
    if (!watchers.isWatched(this.#runId) || openRuns.get(this.#runId) !== undefined) return
    this.#leave ??= watchers.follow(this.#runId)
    await watchers.alone(this.#runId, async () => {
      const answer = await readLiveAnswer(store, this.#runId)
      this.#subject ??= await this.#readSubject()
      if (openRuns.get(this.#runId) !== undefined) return
      const news = newsOf(watchers.answerOf(this.#runId), answer)
      const head = { runId: this.#runId, subject: this.#subject, at: clock.now() }
      if (answer === undefined) watchers.driven(this.#runId)
      else for (const body of news) watchers.tellFromElsewhere({ ...body, ...head, turn: answer.turn })
    })
  }

  /** An answer that was told in part is told to nobody who joins once nobody here reads it any more. */
  end(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  async #readSubject(): Promise<string> {
    const { store } = this.#core
    const { agent } = await store.record(this.#runId)
    return originOf(this.#runId, agent, await store.input(this.#runId)).subject
  }
}

type News =
  | { readonly type: 'message.started'; readonly role: 'assistant' }
  | { readonly type: 'message.updated'; readonly delta: MessageDelta }

/** What there is of an answer beyond what was told of it. */
function newsOf(before: LiveAnswer | undefined, answer: LiveAnswer | undefined): readonly News[] {
  if (answer === undefined) return []
  const { turn, deltas } = answer
  const goesOn = before?.turn === turn && isBeginning(before.deltas, deltas)
  const known = goesOn ? before.deltas : []
  const news = deltas.flatMap((delta, index): readonly News[] => {
    const text = delta.delta.slice(known[index]?.delta.length ?? 0)
    return text === '' ? [] : [{ type: 'message.updated', delta: { ...delta, delta: text } }]
  })
  return goesOn ? news : [{ type: 'message.started', role: 'assistant' }, ...news]
}

/** Another attempt at the same turn begins anew. */
function isBeginning(before: readonly MessageDelta[], now: readonly MessageDelta[]): boolean {
  return before.every(({ type, delta }, index) => now[index]?.type === type && now[index].delta.startsWith(delta))
}
