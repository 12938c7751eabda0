import type { Choices } from './choices.ts'

/** The default rates of a simulation: the probability of each fault on one occasion. */
export const defaultRates = {
  /** A process is killed between two awaits. */
  kill: 0.004,
  /** A process is paused, perhaps for longer than its lease, and continues. */
  pause: 0.004,
  /** The clock of a process is set. */
  jump: 0.002,
  /** The store, or a tool, takes long. */
  slow: 0.008,
  /** The store is locked. */
  busy: 0.004,
  /** The store is cut off, before or after it has acted. */
  cut: 0.004,
  /** The store has no room for a while. */
  fullDisk: 0.001,
  /** A request to the outside, or its answer, is lost. */
  lost: 0.05,
  /** A process is replaced by one of the next version; once in a run. */
  deploy: 0.3,
}

/** The kinds of faults. */
export type FaultKind = keyof typeof defaultRates

/** The probability of each fault on one occasion. */
export type FaultRates = Readonly<Record<FaultKind, number>>

/** Draws faults until the world is calm, and counts them. */
export class Faults {
  isCalm = false
  count = 0
  readonly #rates: FaultRates
  readonly #choices: Choices
  /** Some runs meet few faults and some many. */
  readonly #weight: number

  constructor(rates: FaultRates, choices: Choices) {
    this.#rates = rates
    this.#choices = choices
    this.#weight = choices.of(1, 1, 0.25, 2, 4, 8)
  }

  /** Draws at most one of some faults, that many times as likely as their rates say. */
  strike<Kind extends FaultKind>(kinds: readonly Kind[], factor = 1): Kind | undefined {
    if (this.isCalm) return undefined
    const chances = kinds.map((kind) => this.#rates[kind] * this.#weight * factor)
    const all = chances.reduce((sum, chance) => sum + chance, 0)
    if (all === 0) return undefined
    let left = this.#choices.fraction() - (1 - Math.min(all, 1))
    if (left < 0) return undefined
    this.count++
    return kinds.find((_, index) => (left -= chances[index] ?? 0) < 0) ?? kinds.at(-1)
  }

  /** A fault that was drawn before, or undefined if the world has become calm since. */
  due<Kind extends FaultKind>(kind: Kind | undefined): Kind | undefined {
    return this.isCalm ? undefined : kind
  }
}
