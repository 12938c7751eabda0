import { createAgent } from '../../src/agent/create-agent.ts'
import type { Run } from '../../src/agent/run.ts'
import type { RunResult } from '../../src/agent/run-result.ts'
import { UsageError } from '../../src/domain/usage-error.ts'
import { StoreError } from '../../src/domain/store-error.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Tool } from '../../src/ports/tool.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'
import type { Said } from '../../src/testing/crash/said.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { countedIds, quiet, runId } from '../support/test-agent.ts'
import { WatchedTools } from './watched-tools.ts'
import { CommitObserver } from './commit-observer.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { ScriptModel } from './script-model.ts'

/** Something planted between an agent and what it works with, to see whether the properties notice. */
export interface Defect {
  readonly store?: (store: Store) => Store
  readonly tool?: (tool: Tool) => Tool
}

const leaseMs = 1000

/** One run and the processes that drive it, one after the other. */
export class SequenceHarness {
  readonly store = memoryStore()
  readonly clock = fakeClock()
  readonly observer = new CommitObserver()
  readonly faults: string[] = []
  /** What others have said to the run, in order. */
  readonly said: Said[] = []
  readonly watched: WatchedTools
  readonly model: ScriptModel
  readonly #setup: SequenceSetup
  readonly #defect: Defect
  #processes = 0
  #run: Run
  #decider: Run
  #mortal = new MortalProcess()
  #driving: Promise<void> | undefined
  #rest: RunResult | undefined
  #isLeft = false

  constructor(setup: SequenceSetup, defect: Defect = {}) {
    const { executor } = setup
    const batch = executor === 'parallel' ? Infinity : executor === 'sequential' ? 1 : executor.batch
    this.#setup = setup
    this.#defect = defect
    this.watched = new WatchedTools(this.observer, this.clock, batch)
    this.model = new ScriptModel(setup, this.clock.now)
    this.#run = this.#agent().start('Hi', { runId })
    this.#decider = this.#run
  }

  /** Lets somebody else load the run, and the first process drive. */
  async open(): Promise<void> {
    this.#decider = await this.#agent(new MortalProcess()).load(runId)
    await this.drive()
  }

  /** Whether a run at a limit is asked for a final answer, and hears what was said before. */
  get finishes(): boolean {
    return this.#setup.onLimit === 'finish'
  }

  /** The process that drives, or drove last. */
  get mortal(): MortalProcess {
    return this.#mortal
  }

  /** The run as somebody who drives nothing holds it. */
  get decider(): Run {
    return this.#decider
  }

  get isDriven(): boolean {
    return this.#driving !== undefined
  }

  /** True while nobody drives a run that has work to do. */
  get isLeft(): boolean {
    return this.#isLeft
  }

  /** Agents made, each a process. */
  get processes(): number {
    return this.#processes
  }

  /** How the run stood when the last drive came to its rest. */
  get rest(): RunResult | undefined {
    return this.#rest
  }

  /** Drives the run, unless it is driven. */
  async drive(): Promise<void> {
    if (this.#driving === undefined && !this.#mortal.isDead) {
      this.#rest = undefined
      this.#isLeft = false
      const mortal = this.#mortal
      this.#driving = this.#run.settled().then(
        (rest) => this.#ended(mortal, rest),
        (error: unknown) => this.#failed(mortal, error),
      )
    }
    await this.quiet()
  }

  /** The process dies, and with it what it had not stored. */
  die(): void {
    this.#mortal.die()
  }

  /** Stops driving in good order. */
  async leave(): Promise<void> {
    this.#mortal.disarm()
    this.#isLeft = this.isDriven
    void this.#run.detach()
    await quiet()
    if (this.#driving !== undefined) this.faults.push('the drive hangs: it does not stop')
    await this.#begin()
  }

  /** Lets another process go on in place of a dead one. */
  async revive(lease: 'released' | 'expired'): Promise<void> {
    const dead = this.#mortal
    void this.#run.detach()
    if (lease === 'expired') this.clock.advance(leaseMs + 1)
    else if (dead.lease !== undefined) await this.store.release(dead.lease)
    await this.#begin()
    await this.drive()
  }

  /** Lets everything that is ready happen; whoever still drives then must wait for the outside. */
  async quiet(): Promise<void> {
    await quiet()
    if (this.#driving === undefined || this.#mortal.isDead) return
    if (this.model.isHolding(this.#mortal) || this.watched.open(this.#mortal).length > 0) return
    this.faults.push('the drive hangs: it waits for no tool and no model')
  }

  async #begin(): Promise<void> {
    this.#driving = undefined
    this.#mortal = new MortalProcess()
    this.#run = await this.#agent().load(runId)
  }

  #agent(mortal: MortalProcess = this.#mortal) {
    const { limit, replies: _, isWatched, toString: __, ...options } = this.#setup
    const { store = (plain: Store) => plain, tool = (plain: Tool) => plain } = this.#defect
    return createAgent({
      ...options,
      name: 'test',
      model: this.model.of(mortal),
      tools: this.watched.tools(mortal).map(tool),
      plugins: isWatched ? [{ name: 'watching', beforeToolExecute: () => {}, afterToolExecute: () => {} }] : [],
      limits: limit,
      retry: { maxRetries: 0 },
      store: store(mortalStore(this.store, mortal, this.observer)),
      clock: this.clock,
      ids: countedIds(`p${++this.#processes}`),
      leaseMs,
    })
  }

  #ended(mortal: MortalProcess, rest: RunResult): void {
    if (mortal !== this.#mortal) return
    this.#driving = undefined
    this.#rest = rest
  }

  #failed(mortal: MortalProcess, error: unknown): void {
    if (mortal !== this.#mortal) return
    this.#driving = undefined
    if (mortal.isDead && error instanceof StoreError) return
    if (error instanceof UsageError && error.code === 'run_detached') return
    this.faults.push(`driving failed: ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`)
  }
}
