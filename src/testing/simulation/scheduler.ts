import type { Choices } from './choices.ts'

/** An action for later, which happens once it is due and nothing holds it up. */
export interface Turn {
  /** Unix milliseconds of the world before which the turn does not come. */
  due(): number
  /** Continues; called once. */
  go(): void
  /** Releases what the turn holds; called in place of `go` if the turn never comes. */
  drop?(): void
}

/** The start of the world, in Unix milliseconds. */
export const beginning = 1_700_000_000_000

/** One virtual clock, and the single order in which all waiting actions continue. */
export class Scheduler {
  /** Unix milliseconds of the world. */
  now = beginning
  readonly #choices: Choices
  readonly #turns = new Set<Turn>()

  constructor(choices: Choices) {
    this.#choices = choices
  }

  /** Adds a turn. Returns the function that takes it back. */
  add(turn: Turn): () => void {
    this.#turns.add(turn)
    return () => void this.#turns.delete(turn)
  }

  /** Resolves once `ms` milliseconds have passed and the turn has come. */
  wait(ms: number): Promise<void> {
    const due = this.now + ms
    return new Promise((go) => this.add({ due: () => due, go }))
  }

  /**
   * Lets one turn come, chosen from all that are due, or first moves the clock to the next that will be. Returns false
   * if nothing waits. By then, all work of the previous turn has reached its next wait.
   */
  async step(): Promise<boolean> {
    await settled()
    let { due, next } = this.#look()
    if (due.length === 0) {
      // Code that yields to the event loop waits for nothing here, and continues first.
      await loopTurn()
      ;({ due, next } = this.#look())
    }
    if (due.length === 0) {
      if (!Number.isFinite(next)) return false
      this.now = next
      ;({ due } = this.#look())
    }
    const turn = this.#choices.among(due)
    if (turn === undefined) return false
    this.#turns.delete(turn)
    turn.go()
    return true
  }

  /** Ends the world: no turn comes any more. */
  end(): void {
    for (const turn of this.#turns) this.#drop(turn)
  }

  #drop(turn: Turn): void {
    this.#turns.delete(turn)
    turn.drop?.()
  }

  /** Finds the turns that are due now, and when the next one will be. */
  #look(): { readonly due: readonly Turn[]; readonly next: number } {
    const due: Turn[] = []
    let next = Number.POSITIVE_INFINITY
    for (const turn of this.#turns) {
      const at = turn.due()
      if (at <= this.now) due.push(turn)
      // A turn of a process that was killed never comes.
      else if (at === Number.POSITIVE_INFINITY) this.#drop(turn)
      else if (at < next) next = at
    }
    return { due, next }
  }
}

/**
 * Resolves once every promise that could continue by itself has done so. Callbacks of `nextTick` run after all of
 * those.
 */
export function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => queueMicrotask(() => process.nextTick(resolve))))
}

/** Resolves a turn of the event loop later. */
function loopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
