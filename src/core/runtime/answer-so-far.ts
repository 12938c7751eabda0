import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import { isSameBlock } from '../domain/passing-event.ts'

type Started = Extract<AgentEvent, { readonly type: 'message.started' }>
type Updated = Extract<AgentEvent, { readonly type: 'message.updated' }>

interface Block {
  /** Its first piece. */
  readonly delta: MessageDelta
  readonly parts: string[]
  /** Of the last piece. */
  at: number
}

/** What an attempt at an answer has told by now, for whoever joins in the middle of it. */
export class AnswerSoFar {
  readonly #started: Started
  /** The pieces in order, those of one block as one. */
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

  /** What has come of it, a block each. */
  get deltas(): readonly MessageDelta[] {
    return this.#blocks.map(({ delta, parts }) => ({ ...delta, delta: parts.join('') }))
  }

  get turn(): number {
    return this.#started.turn
  }

  /** That it has begun, and an update for each block. */
  events(): readonly AgentEvent[] {
    const { runId, subject, turn } = this.#started
    const updated = this.#blocks.map(({ delta, parts, at }): Updated => {
      return { type: 'message.updated', runId, subject, at, turn, delta: { ...delta, delta: parts.join('') } }
    })
    return [this.#started, ...updated]
  }
}
