import type { Outbox } from './effect-logic.ts'

/** The outbox of each actor system, so that one machine serves every run: building it costs more than a short run. */
export class OutboxBySystem {
  readonly #outboxes = new WeakMap<object, Outbox>()
  #next: Outbox | undefined

  /** Announces the outbox of the actor about to be made, for what it asks for while it is made. */
  expect(outbox: Outbox): void {
    this.#next = outbox
  }

  /** Ties an actor system to its outbox, once its root has been made. */
  tie(system: object, outbox: Outbox): void {
    this.#outboxes.set(system, outbox)
    this.#next = undefined
  }

  of(system: object): Outbox {
    const outbox = this.#outboxes.get(system) ?? this.#next
    if (outbox === undefined) throw new Error('An actor was made before its outbox was announced.')
    return outbox
  }
}
