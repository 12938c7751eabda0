import type { Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import type { Announcement, Effect, Outbox } from './effect-logic.ts'

/** Lets one assembled machine serve every drive: building the machine costs more than a short run. */
export class OutboxBySystem implements Outbox {
  readonly #outboxes = new WeakMap<object, Outbox>()
  #next: Outbox | undefined

  /** Announces the outbox of the actor about to be made, for what it asks for while it is made. */
  expect(outbox: Outbox): void {
    this.#next = outbox
  }

  /** Ties an actor system to its outbox, from its making on. */
  tie(system: object, outbox: Outbox): void {
    this.#outboxes.set(system, outbox)
    this.#next = undefined
  }

  keyFor(restored: string | undefined, system: object): string {
    return this.#outboxOf(system).keyFor(restored, system)
  }

  add(effect: Effect): void {
    this.#outboxOf(effect.actor.system).add(effect)
  }

  withdraw(key: string, system: object): void {
    this.#outboxOf(system).withdraw(key, system)
  }

  record(writes: readonly Write[], system: object): void {
    this.#outboxOf(system).record(writes, system)
  }

  checkpoint(name: CheckpointName, system: object): void {
    this.#outboxOf(system).checkpoint(name, system)
  }

  announce(announcement: Announcement, system: object): void {
    this.#outboxOf(system).announce(announcement, system)
  }

  #outboxOf(system: object): Outbox {
    const known = this.#outboxes.get(system)
    if (known !== undefined) return known
    if (this.#next === undefined) throw new Error('An actor was made before its outbox was announced.')
    return this.#next
  }
}
