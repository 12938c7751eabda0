import type { Agent } from '../../core/agent/agent.ts'
import { createAgent } from '../../core/agent/create-agent.ts'
import type { Ids } from '../../core/ports/ids.ts'
import type { Store } from '../../core/ports/store.ts'
import { createWorker, type Worker } from '../../core/workers/worker.ts'
import { SimulatedBroker } from './broker.ts'
import type { Choices } from './choices.ts'
import { Faults } from './faults.ts'
import { Ledger, type NoteFacts } from './ledger.ts'
import { SimulatedProcess } from './process.ts'
import { beginning, Scheduler } from './scheduler.ts'
import { simulatedOptions } from './simulated-agent.ts'
import type { SimulationSettings } from './settings.ts'
import { simulatedStore } from './simulated-store.ts'
import type { WorldParts } from './world-parts.ts'

/** One line of what happened. */
export interface Note extends NoteFacts {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly who: string
  readonly what: string
}

/** Milliseconds that a lease lasts. */
const leaseMs = 3000

/** A process with what a program makes in it. */
export interface Program {
  readonly process: SimulatedProcess
  readonly agents: readonly Agent[]
  readonly worker: Worker
}

/** One simulated world: a store, the processes that come and go, and all that happens there. */
export class World<Outside> implements WorldParts {
  readonly choices: Choices
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly ledger = new Ledger(
    (who, what, facts) => this.tell(who, what, facts),
    () => this.scheduler.now,
  )
  readonly store: Store
  readonly ids: Ids
  readonly notes: Note[] = []
  readonly outside: Outside
  readonly #settings: SimulationSettings<Outside>
  readonly #pollMs: number
  readonly #programs: Program[] = []
  readonly #broker = new SimulatedBroker(this)
  #isDeployed = false
  #diskFullUntil = 0
  #started = 0
  /** Processes that are about to begin in the place of others. */
  #awaited = 0

  constructor(settings: SimulationSettings<Outside>, choices: Choices) {
    this.#settings = settings
    this.choices = choices
    this.scheduler = new Scheduler(choices)
    this.faults = new Faults(settings.rates, choices)
    this.store = settings.store({ now: () => this.scheduler.now })
    this.outside = settings.outside((count) => choices.pick(count))
    this.#pollMs = choices.of(3000, 30_000)
    let count = 0
    this.ids = { next: (prefix) => `${prefix}_${++count}` }
  }

  get isDiskFull(): boolean {
    return this.#diskFullUntil > this.scheduler.now
  }

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.scheduler.now - beginning
  }

  fillDisk(): void {
    const ms = this.choices.of(100, 1000, 4000)
    this.#diskFullUntil = this.scheduler.now + ms
    this.tell('The disk', `is full for ${ms} ms`, { isFault: true })
  }

  latency(): number {
    return this.choices.of(0, 1, 2, 3, 1, 2, 1, 8, 25)
  }

  tell(who: string, what: string, facts: NoteFacts = {}): void {
    this.notes.push({ at: this.elapsedMs, who, what, ...facts })
  }

  /** The programs whose processes live. */
  get programs(): readonly Program[] {
    return this.#programs.filter(({ process }) => process.isAlive)
  }

  /** A process begins, with the agents that the newest deployment has. */
  begin(): Program {
    const { agents, next } = this.#settings
    const process = new SimulatedProcess(`worker ${++this.#started}`, this)
    const store = simulatedStore(this, process)
    const source = this.#isDeployed && next !== undefined ? next : agents
    const made = source({
      name: process.name,
      clock: process.clock,
      outside: this.outside,
      request: (act) => process.request(act),
    }).map((options) => {
      const { services = [] } = options
      this.#broker.know(services)
      const linked = services.length === 0 ? {} : { broker: this.#broker.at(process) }
      return createAgent({ ...simulatedOptions(this, process, options), ...linked, store, leaseMs })
    })
    const worker = createWorker({ agents: made, pollMs: this.#pollMs })
    const program = { process, agents: made, worker }
    this.#programs.push(program)
    this.tell(process.name, 'begins')
    return program
  }

  replace(): void {
    if (this.programs.length + this.#awaited > 1) return
    this.#awaited++
    void this.scheduler.wait(this.choices.of(100, 1000, 4000)).then(() => {
      this.#awaited--
      this.begin()
    })
  }

  /** Gives the next version to every process that starts from now on. Drains and replaces one living process. */
  deploy(): void {
    const [first] = this.programs
    if (this.#settings.next === undefined || this.#isDeployed || first === undefined) return
    this.#isDeployed = true
    this.tell(first.process.name, 'is replaced by a process of the next version', { isFault: true })
    this.begin()
    void first.worker.drain({ drainMs: 100 }).then(() => first.process.kill())
  }

  /** Ends every fault: paused processes go on, and the disk has room. */
  calm(): void {
    this.faults.isCalm = true
    this.#diskFullUntil = 0
    for (const { process } of this.programs) process.resume()
    if (this.programs.length === 0) this.begin()
    this.tell('All faults', 'are over')
  }
}
