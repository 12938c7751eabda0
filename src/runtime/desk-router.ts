import type { Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import type { Offer } from './effect-logic.ts'
import type { ChartDesk } from './stepper.ts'
import type { Announcement } from './teller.ts'

/** Lets one assembled machine serve every drive: building the machine costs more than a short run. */
export class DeskRouter implements ChartDesk {
  readonly #desks = new WeakMap<object, ChartDesk>()
  #next: ChartDesk | undefined

  /** Announces the desk of the actor about to be made, for what it asks for while it is made. */
  expect(desk: ChartDesk): void {
    this.#next = desk
  }

  /** Ties an actor system to its desk, from its making on. */
  tie(system: object, desk: ChartDesk): void {
    this.#desks.set(system, desk)
    this.#next = undefined
  }

  keyFor(restored: string | undefined, system: object): string {
    return this.#deskOf(system).keyFor(restored, system)
  }

  offer(offer: Offer): void {
    this.#deskOf(offer.actor.system).offer(offer)
  }

  withdraw(key: string, system: object): void {
    this.#deskOf(system).withdraw(key, system)
  }

  record(writes: readonly Write[], system: object): void {
    this.#deskOf(system).record(writes, system)
  }

  checkpoint(name: CheckpointName, system: object): void {
    this.#deskOf(system).checkpoint(name, system)
  }

  announce(announcement: Announcement, system: object): void {
    this.#deskOf(system).announce(announcement, system)
  }

  #deskOf(system: object): ChartDesk {
    const known = this.#desks.get(system)
    if (known !== undefined) return known
    if (this.#next === undefined) throw new Error('An actor was made before its desk was announced.')
    return this.#next
  }
}
