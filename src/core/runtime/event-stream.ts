import type { AgentEvent } from '../domain/event.ts'
import { isPassing, lengthOf, merged, type PassingEvent } from '../domain/passing-event.ts'
import { UsageError } from '../domain/text/usage-error.ts'

/** Deltas, updates and progress a watcher has not taken yet, beyond which they are dropped. */
const maxPassing = 1_000

/** Of these, how many make a watcher one that lags: pieces of an answer in a row become one. */
const mostUnmerged = 100

/** Characters in them, beyond which they are dropped. */
const maxPassingLength = 10_000_000

/** All other events a watcher has not taken yet, beyond which it is told that it missed some. */
const maxLasting = 10_000

/**
 * One watcher's queue: never stalls the run, and never grows without bound. Of a watcher that lags, pieces of an answer
 * are put together, then what only tells of work under way is dropped; one that takes nothing at all ends with an error.
 */
export class EventStream implements AsyncIterableIterator<AgentEvent> {
  #pending: AgentEvent[] = []
  #passing = 0
  #passingLength = 0
  #waiting: PromiseWithResolvers<IteratorResult<AgentEvent>>[] = []
  #end: { readonly error?: unknown } | undefined
  readonly #closed: () => void

  constructor(closed: () => void) {
    this.#closed = closed
  }

  push(event: AgentEvent): void {
    if (this.#end !== undefined) return
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) return waiting.resolve({ done: false, value: event })
    if (isPassing(event)) this.#keepPassing(event)
    else if (this.#pending.length - this.#passing < maxLasting) this.#pending.push(event)
    else this.#giveUp()
  }

  #keepPassing(event: PassingEvent): void {
    const length = lengthOf(event)
    if (this.#passing > 0 && this.#passingLength + length > maxPassingLength) return
    // Of a watcher that lags, what an answer has of its output would stand between the pieces that are put together.
    if (event.type === 'output.updated' && this.#passing >= mostUnmerged) return
    const whole = this.#passing < mostUnmerged ? undefined : merged(this.#pending.at(-1), event)
    if (whole === undefined && this.#passing >= maxPassing) return
    this.#passingLength += length
    if (whole !== undefined) this.#pending[this.#pending.length - 1] = whole
    else {
      this.#passing++
      this.#pending.push(event)
    }
  }

  #giveUp(): void {
    const advice = 'Take events as they come; result() and history() read what is stored.'
    this.#forget()
    this.end(new UsageError('events_missed', `More than ${maxLasting} events of this run were not taken. ${advice}`))
  }

  #forget(): void {
    this.#pending = []
    this.#passing = 0
    this.#passingLength = 0
  }

  end(error?: unknown): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if ('error' in this.#end) reject(this.#end.error)
      else resolve({ done: true, value: undefined })
    }
    this.#closed()
  }

  async next(): Promise<IteratorResult<AgentEvent>> {
    const event = this.#pending.shift()
    if (event !== undefined && isPassing(event)) {
      this.#passing--
      this.#passingLength -= lengthOf(event)
    }
    if (event !== undefined) return { done: false, value: event }
    if (this.#end !== undefined) {
      if ('error' in this.#end) throw this.#end.error
      return { done: true, value: undefined }
    }
    const waiting = Promise.withResolvers<IteratorResult<AgentEvent>>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#forget()
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
