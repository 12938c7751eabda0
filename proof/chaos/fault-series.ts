import type { Fault } from './settings.ts'
import type { WorkerProcesses } from './worker-processes.ts'

/** Faults one after the other, dealt from a deck that is shuffled again when it is used up. */
export class FaultSeries {
  readonly #deck: readonly Fault[]
  readonly #random: () => number
  readonly #struck: { readonly name: string; readonly from: number; until: number }[] = []
  #left: Fault[] = []

  constructor(deck: readonly Fault[], random: () => number) {
    this.#deck = deck
    this.#random = random
  }

  get count(): number {
    return this.#struck.length
  }

  /** The number of faults of each kind, as text. */
  get told(): string {
    const names = [...new Set(this.#deck.map(({ name }) => name))]
    return names.map((name) => `${this.#struck.filter((one) => one.name === name).length} ${name}`).join(', ')
  }

  /** The faults that struck between two moments of the steady clock. */
  between(from: number, until: number): readonly string[] {
    return this.#struck.filter((one) => one.from < until && one.until > from).map(({ name }) => name)
  }

  /** Strikes once, and gives the moment at which that was over. */
  async strike(processes: WorkerProcesses): Promise<number> {
    const fault = this.#next()
    const struck = { name: fault.name, from: performance.now(), until: Number.POSITIVE_INFINITY }
    this.#struck.push(struck)
    await fault.strike(processes)
    struck.until = performance.now()
    return struck.until
  }

  #next(): Fault {
    if (this.#left.length === 0) this.#left = [...this.#deck]
    const [fault] = this.#left.splice(Math.floor(this.#random() * this.#left.length), 1)
    if (fault === undefined) throw new Error('A setting has no faults.')
    return fault
  }
}
