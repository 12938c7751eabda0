import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import { isSameBlock } from '../domain/passing-event.ts'

type Started = Extract<AgentEvent, { readonly type: 'message.started' }>
type Updated = Extract<AgentEvent, { readonly type: 'message.updated' }>

interface Block {
  /** The first piece. */
  readonly delta: MessageDelta
  readonly parts: string[]
  /** The time of the last piece, in Unix milliseconds. */
  at: number
}

/** The emitted part of an answer, for followers that join in the middle. */
export class AnswerSoFar {
  readonly #started: Started
  /** The pieces in order, joined by block. */
  readonly #blocks: Block[] = []
  #last: Block | undefined

  constructor(started: Started) {
    this.#started = started
  }

  add({ delta, at }: Updated): void {
    const last = this.#last
    if (last !== undefined && isSameBlock(last.delta, delta)) {
      last.parts.push(delta.delta)
      last.at = at
    } else {
      this.#last = { delta, parts: [delta.delta], at }
      this.#blocks.push(this.#last)
    }
  }

  /** The pieces of the answer, one per block. */
  get deltas(): readonly MessageDelta[] {
    return this.#blocks.map(({ delta, parts }) => ({ ...delta, delta: parts.join('') }))
  }

  get turn(): number {
    return this.#started.turn
  }

  /** Returns the start event and an update for each block. */
  events(): readonly AgentEvent[] {
    const { runId, subject, turn } = this.#started
    const updated = this.#blocks.map(({ delta, parts, at }): Updated => {
      return { type: 'message.updated', runId, subject, at, turn, delta: { ...delta, delta: parts.join('') } }
    })
    return [this.#started, ...updated]
  }
}
