import type { AgentEvent } from '../domain/event.ts'
import { isPassing, lengthOf, merged, type PassingEvent } from '../domain/passing-event.ts'

/** The maximum passing events that wait for a reader, such as deltas; further ones are dropped. */
const maxPassing = 1_000

/** The number of waiting pieces of an answer from which they are merged. */
const mostUnmerged = 100

/** The maximum characters in waiting passing events. */
const maxPassingLength = 10_000_000

/**
 * The maximum other events that wait for a reader; beyond it all are dropped, and the reader continues from the store.
 */
const maxLasting = 10_000

/** An event that this process emits. */
export interface LiveEvent {
  readonly event: AgentEvent
  /** For an event with a number: no event of its run is stored between this number and its own. */
  readonly behind: number
}

/** A live event with a number. */
export interface NumberedEvent extends LiveEvent {
  readonly seq: number
}

/**
 * The events that one reader has not read yet. The queue never delays the run and is bounded: for a slow reader, pieces
 * of an answer are merged, then live events are dropped. Numbered events can be read from the store.
 */
export class EventQueue {
  #pending: LiveEvent[] = []
  #passing = 0
  #passingLength = 0
  #numbered: NumberedEvent | undefined
  readonly #lost: (behind: number) => void
  readonly #added: () => void

  /** `lost` receives the number after which events were dropped; `added` is called for each event. */
  constructor(lost: (behind: number) => void, added: () => void) {
    this.#lost = lost
    this.#added = added
  }

  get size(): number {
    return this.#pending.length
  }

  /** The first event that has a number. */
  get numbered(): NumberedEvent | undefined {
    if (this.#numbered !== undefined || this.#pending.length === 0) return this.#numbered
    for (const { event, behind } of this.#pending)
      if (event.seq !== undefined) return (this.#numbered = { event, behind, seq: event.seq })
    return undefined
  }

  push(event: AgentEvent, behind = (event.seq ?? 1) - 1): void {
    if (isPassing(event)) this.#keepPassing(event)
    else {
      if (this.#pending.length - this.#passing >= maxLasting) this.#drop()
      this.#pending.push({ event, behind })
    }
    this.#added()
  }

  shift(): LiveEvent | undefined {
    const first = this.#pending.shift()
    if (first === undefined) return undefined
    if (first.event.seq !== undefined) this.#numbered = undefined
    if (!isPassing(first.event)) return first
    this.#passing--
    this.#passingLength -= lengthOf(first.event)
    return first
  }

  clear(): void {
    this.#pending = []
    this.#numbered = undefined
    this.#passing = 0
    this.#passingLength = 0
  }

  #drop(): void {
    const behind = this.numbered?.behind
    this.clear()
    if (behind !== undefined) this.#lost(behind)
  }

  #keepPassing(event: PassingEvent): void {
    const length = lengthOf(event)
    if (this.#passing > 0 && this.#passingLength + length > maxPassingLength) return
    // The output so far would separate the pieces that are merged for a reader that lags.
    if (event.type === 'output.updated' && this.#passing >= mostUnmerged) return
    const whole = this.#passing < mostUnmerged ? undefined : merged(this.#pending.at(-1)?.event, event)
    if (whole === undefined && this.#passing >= maxPassing) return
    this.#passingLength += length
    if (whole !== undefined) this.#pending[this.#pending.length - 1] = { event: whole, behind: 0 }
    else {
      this.#passing++
      this.#pending.push({ event, behind: 0 })
    }
  }
}
