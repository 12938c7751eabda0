import type { AgentEvent, MessageDelta } from '../domain/event.ts'
import { isSameBlock } from '../domain/passing-event.ts'

type Started = Extract<AgentEvent, { readonly type: 'message.started' }>
type Updated = Extract<AgentEvent, { readonly type: 'message.updated' }>

/** What an attempt at an answer has told by now, for whoever joins in the middle of it. */
export class AnswerSoFar {
  readonly #started: Started
  /** The pieces in order, those of one block as one. */
  readonly #blocks: { delta: MessageDelta; text: string; at: number }[] = []

  constructor(started: Started) {
    this.#started = started
  }

  add({ delta, at }: Updated): void {
    const last = this.#blocks.at(-1)
    if (last === undefined || !isSameBlock(last.delta, delta)) this.#blocks.push({ delta, text: delta.delta, at })
    else {
      last.text += delta.delta
      last.at = at
    }
  }

  /** That it has begun, and an update for each block. */
  events(): readonly AgentEvent[] {
    const { runId, subject, turn } = this.#started
    const updated = this.#blocks.map(({ delta, text, at }): Updated => {
      return { type: 'message.updated', runId, subject, at, turn, delta: { ...delta, delta: text } }
    })
    return [this.#started, ...updated]
  }
}
