import { createAgent } from '../../src/agent/create-agent.ts'
import type { Run } from '../../src/agent/run.ts'
import type { RunResult } from '../../src/agent/run-result.ts'
import { UsageError } from '../../src/agent/usage-error.ts'
import { StoreError } from '../../src/domain/store-error.ts'
import type { Store } from '../../src/ports/store.ts'
import type { Tool } from '../../src/ports/tool.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { fakeClock } from '../../test/support/fake-clock.ts'
import { countedIds, quiet, runId } from '../../test/support/world.ts'
import { Bench } from './bench.ts'
import { Board } from './board.ts'
import { Life, storeOf } from './life.ts'
import type { Scene } from './scene.ts'
import { ScriptModel } from './script-model.ts'

/** Something planted between an agent and what it works with, to see whether the properties notice. */
export interface Defect {
  readonly store?: (store: Store) => Store
  readonly tool?: (tool: Tool) => Tool
}

const leaseMs = 1000

/** One run and the processes that drive it, one after the other. */
export class Stage {
  readonly store = memoryStore()
  readonly clock = fakeClock()
  readonly board = new Board()
  readonly faults: string[] = []
  readonly bench: Bench
  readonly model: ScriptModel
  readonly #scene: Scene
  readonly #defect: Defect
  #processes = 0
  #run: Run
  #desk: Run
  #life = new Life()
  #driving: Promise<void> | undefined
  #rest: RunResult | undefined
  #isLeft = false

  constructor(scene: Scene, defect: Defect = {}) {
    const { executor } = scene
    const batch = executor === 'parallel' ? Infinity : executor === 'sequential' ? 1 : executor.batch
    this.#scene = scene
    this.#defect = defect
    this.bench = new Bench(this.board, this.clock, batch)
    this.model = new ScriptModel(scene, this.clock.now)
    this.#run = this.#agent().start('Hi', { runId })
    this.#desk = this.#run
  }

  /** Opens the desk and lets the first process drive. */
  async open(): Promise<void> {
    this.#desk = await this.#agent(new Life()).load(runId)
    await this.drive()
  }

  /** The process that drives, or drove last. */
  get life(): Life {
    return this.#life
  }

  /** The run as somebody who drives nothing holds it. */
  get desk(): Run {
    return this.#desk
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
    if (this.#driving === undefined && !this.#life.isDead) {
      this.#rest = undefined
      this.#isLeft = false
      const life = this.#life
      this.#driving = this.#run.settled().then(
        (rest) => this.#ended(life, rest),
        (error: unknown) => this.#failed(life, error),
      )
    }
    await this.quiet()
  }

  /** The process dies, and with it what it had not stored. */
  die(): void {
    this.#life.isDead = true
  }

  /** Stops driving in good order. */
  async leave(): Promise<void> {
    this.#isLeft = this.isDriven
    void this.#run.detach()
    await quiet()
    if (this.#driving !== undefined) this.faults.push('the drive hangs: it does not stop')
    await this.#begin()
  }

  /** Lets another process go on in place of a dead one. */
  async revive(lease: 'released' | 'expired'): Promise<void> {
    const dead = this.#life
    void this.#run.detach()
    if (lease === 'expired') this.clock.advance(leaseMs + 1)
    else if (dead.lease !== undefined) await this.store.release(dead.lease)
    await this.#begin()
    await this.drive()
  }

  /** Lets everything that is ready happen; whoever still drives then must wait for the world. */
  async quiet(): Promise<void> {
    await quiet()
    if (this.#driving === undefined || this.#life.isDead) return
    if (this.model.isHolding(this.#life) || this.bench.open(this.#life).length > 0) return
    this.faults.push('the drive hangs: it waits for no tool and no model')
  }

  async #begin(): Promise<void> {
    this.#driving = undefined
    this.#life = new Life()
    this.#run = await this.#agent().load(runId)
  }

  #agent(life: Life = this.#life) {
    const { limit, replies: _, isWatched, ...options } = this.#scene
    const { store = (plain: Store) => plain, tool = (plain: Tool) => plain } = this.#defect
    return createAgent({
      ...options,
      name: 'test',
      model: this.model.of(life),
      tools: this.bench.tools(life).map(tool),
      plugins: isWatched ? [{ name: 'watching', beforeToolExecute: () => {}, afterToolExecute: () => {} }] : [],
      limits: limit,
      retry: { maxRetries: 0 },
      store: store(storeOf(this.store, life, this.board)),
      clock: this.clock,
      ids: countedIds(`p${++this.#processes}`),
      leaseMs,
    })
  }

  #ended(life: Life, rest: RunResult): void {
    if (life !== this.#life) return
    this.#driving = undefined
    this.#rest = rest
  }

  #failed(life: Life, error: unknown): void {
    if (life !== this.#life) return
    this.#driving = undefined
    if (life.isDead && error instanceof StoreError) return
    if (error instanceof UsageError && error.code === 'run_detached') return
    this.faults.push(`driving failed: ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`)
  }
}
