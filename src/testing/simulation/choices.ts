/** The choices of one simulated run, from a seed or from a list. 0 is always the mildest choice. */
export class Choices {
  /** All choices so far, in order. */
  readonly made: number[] = []
  readonly #given: readonly number[] | undefined
  #state: number

  /** `given` replaces the random choices; after its end, every choice is 0. */
  constructor(seed: number, given?: readonly number[]) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
    this.#given = given
  }

  /** Chooses a whole number from 0 to `count` - 1. */
  pick(count: number): number {
    const given = this.#given
    const choice =
      given === undefined ? Math.floor(this.#draw() * count) : Math.min(given[this.made.length] ?? 0, count - 1)
    this.made.push(choice)
    return choice
  }

  /** Chooses one of some values; the first one is the mildest. */
  of<Value>(first: Value, ...others: readonly Value[]): Value {
    const choice = this.pick(others.length + 1)
    return others[choice - 1] ?? first
  }

  /** Chooses one of a list; undefined if the list is empty. */
  among<Value>(values: readonly Value[]): Value | undefined {
    return values[values.length < 2 ? 0 : this.pick(values.length)]
  }

  /** Chooses a number from 0 to just below 1. */
  fraction(): number {
    return this.pick(parts) / parts
  }

  /** Chooses yes with this probability. */
  chance(probability: number): boolean {
    return this.fraction() >= 1 - probability
  }

  #draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The number of fractions. */
const parts = 100_000
