import type { InspectorMessage } from './inspector-message.ts'
import type { MessageSender } from './message-sender.ts'

/** Messages and characters that wait for a receiver at most. */
const mostWaiting = 2_000
const mostCharacters = 4_000_000

/** Milliseconds before a receiver that failed is tried again, at first and at most. */
const firstPause = 500
const longestPause = 30_000

/** Milliseconds that closing waits for a receiver. */
const closingTime = 3_000

/** A way to a receiver: takes texts together, and rejects where they did not arrive. */
export interface Wire {
  deliver(texts: readonly string[]): Promise<void>
  close(): void
}

/**
 * Keeps messages in order while a receiver is slow, up to a bound, and gives up those that it cannot be given. A
 * receiver that failed is left alone for a while, and is then told anew.
 */
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
    // What is sent in the same turn of the loop goes together.
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
