/** An actor with a mailbox. */
export interface Receiver<Event> {
  process(event: Event): void
}

/** The events on their way to an actor. They are processed one at a time, in the order of arrival. */
export class Mailbox<Event> {
  /** Created with the first event that has to wait. */
  #events: Event[] | undefined
  #isStarted = false
  #isProcessing = false

  start(receiver: Receiver<Event>): void {
    this.#isStarted = true
    this.#flush(receiver)
  }

  /** Opens the mailbox of an actor that has started before. */
  open(): void {
    this.#isStarted = true
  }

  /** Drops what waits; before the start the first one stays, as in XState. */
  clear(): void {
    const kept = this.#isProcessing ? 0 : 1
    if (this.#events !== undefined && this.#events.length > kept) this.#events.length = kept
  }

  /** Drops everything. */
  close(): void {
    this.#events = undefined
  }

  enqueue(event: Event, receiver: Receiver<Event>): void {
    if (!this.#isStarted || this.#isProcessing) {
      this.#events ??= []
      this.#events.push(event)
      return
    }
    this.#isProcessing = true
    receiver.process(event)
    this.#flush(receiver)
  }

  #flush(receiver: Receiver<Event>): void {
    for (let event = this.#events?.shift(); event !== undefined; event = this.#events?.shift()) {
      this.#isProcessing = true
      receiver.process(event)
    }
    this.#isProcessing = false
  }
}
