import type { Agent } from '../../core/agent/agent.ts'
import { createAgent } from '../../core/agent/create-agent.ts'
import { createWorker, type Worker } from '../../core/workers/worker.ts'
import { SimulatedBroker } from './broker.ts'
import type { Choices } from './choices.ts'
import { SimulatedProcess } from './process.ts'
import { simulatedOptions } from './simulated-agent.ts'
import type { SimulationSettings } from './settings.ts'
import { simulatedStore } from './simulated-store.ts'
import { WorldParts } from './world-parts.ts'

/** Milliseconds that a lease lasts. */
const leaseMs = 3000

/** A process with the objects that a program creates in it. */
export interface Program {
  readonly process: SimulatedProcess
  readonly agents: readonly Agent[]
  readonly worker: Worker
}

/** One simulated world: a store, the processes that come and go, and all that happens there. */
export class World<Outside> extends WorldParts {
  readonly outside: Outside
  readonly #settings: SimulationSettings<Outside>
  readonly #pollMs: number
  readonly #programs: Program[] = []
  readonly #broker = new SimulatedBroker(this)
  #isDeployed = false
  #started = 0
  /** Processes that are about to begin in the place of others. */
  #awaited = 0

  constructor(settings: SimulationSettings<Outside>, choices: Choices) {
    super(choices, settings.rates, settings.store)
    this.#settings = settings
    this.outside = settings.outside((count) => choices.pick(count))
    this.#pollMs = choices.of(3000, 30_000)
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
    return program
  }

  override replace(): void {
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
  override calm(): void {
    super.calm()
    for (const { process } of this.programs) process.resume()
    if (this.programs.length === 0) this.begin()
    this.tell('All faults', 'are over')
  }
}
