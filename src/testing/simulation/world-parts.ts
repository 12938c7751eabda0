import type { Ids } from '../../core/ports/ids.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Choices } from './choices.ts'
import { type FaultRates, Faults } from './faults.ts'
import { Ledger, type NoteFacts } from './ledger.ts'
import { beginning, Scheduler } from './scheduler.ts'

/** One line of the story. */
export interface Note extends NoteFacts {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly who: string
  readonly what: string
}

/** The parts that all participants of one simulated world share. */
export abstract class WorldParts {
  readonly choices: Choices
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly ledger = new Ledger(
    (who, what, facts) => this.tell(who, what, facts),
    () => this.scheduler.now,
  )
  /** The one store without delays and failures. */
  readonly store: Store
  readonly notes: Note[] = []
  #diskFullUntil = 0
  #ids = 0
  readonly ids: Ids = { next: (prefix) => `${prefix}_${++this.#ids}` }

  constructor(choices: Choices, rates: FaultRates, store: (clock: { now(): number }) => Store) {
    this.choices = choices
    this.scheduler = new Scheduler(choices)
    this.faults = new Faults(rates, choices)
    this.store = store({ now: () => this.scheduler.now })
  }

  /** Starts a process some time after another one was killed. */
  abstract replace(): void

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.scheduler.now - beginning
  }

  /** True while nothing more fits into the store. */
  get isDiskFull(): boolean {
    return this.#diskFullUntil > this.scheduler.now
  }

  fillDisk(): void {
    const ms = this.choices.of(100, 1000, 4000)
    this.#diskFullUntil = this.scheduler.now + ms
    this.tell('The disk', `is full for ${ms} ms`, { isFault: true })
  }

  /** Ends every fault that lasts. */
  calm(): void {
    this.faults.isCalm = true
    this.#diskFullUntil = 0
  }

  /** Milliseconds that a way through the network takes. */
  latency(): number {
    return this.choices.of(0, 1, 2, 3, 1, 2, 1, 8, 25)
  }

  /** Adds a line to the story. */
  tell(who: string, what: string, facts: NoteFacts = {}): void {
    this.notes.push({ at: this.elapsedMs, who, what, ...facts })
  }
}
