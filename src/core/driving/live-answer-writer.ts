import type { AgentEvent } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import { type Clock, repeat } from '../ports/clock.ts'
import type { Lease, Store } from '../ports/store.ts'
import { endLiveAnswer, putLiveAnswer } from './store-live-answer.ts'
import { endsAnswer } from './run-watchers.ts'

/** The milliseconds between two looks for readers in other processes, and between two writes for them. */
const putMs = 100

/**
 * Shows other processes the answer that a model is giving to a run driven here: at most one write per 100 ms, and none
 * if nobody reads. An answer that is complete within that time causes no access to the store.
 */
export class LiveAnswerWriter {
  readonly #store: Store
  readonly #lease: Lease
  readonly #clock: Pick<Clock, 'every'>
  readonly #soFar: () => LiveAnswer | undefined
  #forget: (() => void) | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isPut = false

  /** `soFar` returns the current answer so far. */
  constructor(store: Store, clock: Pick<Clock, 'every'>, lease: Lease, soFar: () => LiveAnswer | undefined) {
    this.#store = store
    this.#clock = clock
    this.#lease = lease
    this.#soFar = soFar
  }

  hear(event: AgentEvent): void {
    if (event.type === 'message.updated') this.#forget ??= this.#later()
    else if (endsAnswer(event)) this.end()
  }

  /** The answer is over, or this process no longer drives the run. */
  end(): void {
    this.#forget?.()
    this.#forget = undefined
    if (!this.#isPut) return
    this.#isPut = false
    this.#after(() => endLiveAnswer(this.#store, this.#lease))
  }

  #later(): () => void {
    const forget = repeat(this.#clock, putMs, () => {
      forget()
      this.#after(() => this.#put())
    })
    return forget
  }

  async #put(): Promise<void> {
    if (this.#forget === undefined) return
    this.#forget = undefined
    const answer = this.#soFar()
    if (answer === undefined) return
    const isRead = await putLiveAnswer(this.#store, this.#lease, answer)
    this.#isPut ||= isRead
  }

  /** Runs work in sequence; a failing store is reported by the next commit. */
  #after(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(() => undefined)
  }
}
