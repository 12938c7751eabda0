import type { AgentEvent } from '../domain/event.ts'
import { thrownText } from '../domain/text/thrown-text.ts'

/**
 * A function that receives events. Its first exception is reported to the other listeners, and nobody awaits its
 * promise.
 */
export class EventListener {
  readonly #hear: (event: AgentEvent) => unknown
  readonly #failed: (message: string, event: AgentEvent) => void
  #owed: readonly AgentEvent[] = []
  #hasLeft = false
  #hasFailed = false

  constructor(hear: (event: AgentEvent) => unknown, failed: (message: string, event: AgentEvent) => void) {
    this.#hear = hear
    this.#failed = failed
  }

  /** Adds events that the listener receives first, once its creator can end it. */
  owe(events: readonly AgentEvent[]): void {
    this.#owed = events
    queueMicrotask(() => this.#pay())
  }

  push(event: AgentEvent): void {
    this.#pay()
    this.#tell(event)
  }

  /** It receives no more events. */
  leave(): void {
    this.#hasLeft = true
  }

  #pay(): void {
    const owed = this.#owed
    this.#owed = []
    for (const event of owed) this.#tell(event)
  }

  #tell(event: AgentEvent): void {
    if (this.#hasLeft) return
    try {
      const promised = this.#hear(event)
      if (isPromise(promised)) promised.then(undefined, (error: unknown) => this.#fail(error, event))
    } catch (error) {
      this.#fail(error, event)
    }
  }

  #fail(error: unknown, event: AgentEvent): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#failed(thrownText(error), event)
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
