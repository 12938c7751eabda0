import type { Choices } from './choices.ts'

/** Probability of each fault on one occasion. */
export interface FaultRates {
  /** A process is killed between two awaits. */
  readonly kill: number
  /** A process stands still, perhaps for longer than its lease, and goes on. */
  readonly pause: number
  /** The clock of a process is set. */
  readonly jump: number
  /** The store, or a tool, takes long. */
  readonly slow: number
  /** The store is locked. */
  readonly busy: number
  /** The store is cut off, before or after it has acted. */
  readonly cut: number
  /** The store has no room for a while. */
  readonly fullDisk: number
  /** A request to the outside, or its answer, is lost. */
  readonly lost: number
  /** A process is replaced by one of the next version; once in a run. */
  readonly deploy: number
}

/** The rates of a simulation that names none: the probability of each fault on one occasion. */
export const defaultRates: FaultRates = {
  kill: 0.004,
  pause: 0.004,
  jump: 0.002,
  slow: 0.008,
  busy: 0.004,
  cut: 0.004,
  fullDisk: 0.001,
  lost: 0.05,
  deploy: 0.3,
}

/** The faults that there are. */
export type FaultKind = keyof FaultRates

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
}
