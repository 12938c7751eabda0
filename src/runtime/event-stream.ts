import type { AgentEvent } from '../domain/event.ts'

/** Events a watcher has not taken yet, beyond which deltas are dropped. */
const maxPending = 1000

/** One watcher's queue: never stalls the run; deltas of a watcher that lags are dropped, nothing else. */
export class EventStream implements AsyncIterableIterator<AgentEvent> {
  #pending: AgentEvent[] = []
  #waiting: PromiseWithResolvers<IteratorResult<AgentEvent>> | undefined
  #end: { readonly error?: unknown } | undefined
  readonly #closed: () => void

  constructor(closed: () => void) {
    this.#closed = closed
  }

  push(event: AgentEvent): void {
    if (this.#end !== undefined) return
    if (this.#waiting !== undefined) {
      this.#waiting.resolve({ done: false, value: event })
      this.#waiting = undefined
      return
    }
    if (this.#pending.length >= maxPending && event.type === 'message.updated') return
    this.#pending.push(event)
  }

  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error }
    if ('error' in this.#end) this.#waiting?.reject(this.#end.error)
    else this.#waiting?.resolve({ done: true, value: undefined })
    this.#waiting = undefined
  }

  async next(): Promise<IteratorResult<AgentEvent>> {
    const event = this.#pending.shift()
    if (event !== undefined) return { done: false, value: event }
    if (this.#end !== undefined) {
      if ('error' in this.#end) throw this.#end.error
      return { done: true, value: undefined }
    }
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#pending = []
    this.end()
    this.#closed()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
