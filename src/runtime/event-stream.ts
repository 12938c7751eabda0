import type { AgentEvent } from '../domain/event.ts'

/** Events a watcher has not taken yet, beyond which deltas are dropped. */
const maxPending = 1000

/** One watcher's queue: never stalls the run; deltas of a watcher that lags are dropped, nothing else. */
export class EventStream implements AsyncIterableIterator<AgentEvent> {
  #pending: AgentEvent[] = []
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
    if (this.#pending.length >= maxPending && event.type === 'message.updated') return
    this.#pending.push(event)
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
    this.#pending = []
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
