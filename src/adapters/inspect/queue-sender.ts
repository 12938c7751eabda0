import type { InspectorMessage } from './inspector-message.ts'
import type { MessageSender } from './message-sender.ts'

/** The maximum number of waiting messages, and of their characters. */
const mostWaiting = 2_000
const mostCharacters = 4_000_000

/** The first and the maximum delay in milliseconds before a failed receiver is tried again. */
const firstPause = 500
const longestPause = 30_000

/** The time limit in milliseconds of closing. */
const closingTime = 3_000

/** A connection to a receiver: accepts texts together, and rejects if they did not arrive. */
export interface Wire {
  deliver(texts: readonly string[]): Promise<void>
  close(): void
}

/** Queues messages for a slow receiver, up to a limit. A failed receiver is skipped for a while. */
export class QueueSender implements MessageSender {
  lost = 0
  readonly #wire: Wire
  readonly #now: () => number
  #waiting: string[] = []
  #characters = 0
  #sending: Promise<void> | undefined
  #failures = 0
  #retryAt = 0

  constructor(wire: Wire, now: () => number) {
    this.#wire = wire
    this.#now = now
  }

  ready(): 'yes' | 'no' | 'again' {
    if (this.#retryAt === 0) return 'yes'
    if (this.#now() < this.#retryAt) return 'no'
    this.#retryAt = 0
    return 'again'
  }

  send(message: InspectorMessage): boolean {
    const text = JSON.stringify(message)
    const isFull = this.#waiting.length >= mostWaiting || this.#characters + text.length > mostCharacters
    if (isFull) return false
    this.#waiting.push(text)
    this.#characters += text.length
    this.#sending ??= this.#send()
    return true
  }

  async close(): Promise<void> {
    const pause = Promise.withResolvers<void>()
    const timer = setTimeout(pause.resolve, closingTime)
    await Promise.race([this.#sending, pause.promise])
    clearTimeout(timer)
    this.lost += this.#waiting.length
    this.#waiting = []
    this.#wire.close()
  }

  async #send(): Promise<void> {
    // Messages of one turn of the event loop are sent together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const texts = this.#waiting
      this.#waiting = []
      this.#characters = 0
      try {
        await this.#wire.deliver(texts)
        this.#failures = 0
      } catch {
        this.lost += texts.length + this.#waiting.length
        this.#waiting = []
        this.#characters = 0
        this.#retryAt = this.#now() + Math.min(longestPause, firstPause * 2 ** this.#failures++)
      }
    }
    this.#sending = undefined
  }
}
