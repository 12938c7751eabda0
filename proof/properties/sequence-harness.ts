import { createAgent } from '../../src/core/agent/create-agent.ts'
import type { Agent } from '../../src/core/agent/agent.ts'
import type { AgentOptions } from '../../src/core/agent/options.ts'
import type { Run } from '../../src/core/agent/run.ts'
import type { RunResult } from '../../src/core/driving/run-result.ts'
import { UsageError } from '../../src/core/domain/text/usage-error.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Tool } from '../../src/core/ports/tool.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore, type StoreObserver } from '../../src/testing/crash/mortal-store.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { countedIds, quiet } from '../support/test-agent.ts'
import { WatchedTools } from './watched-tools.ts'
import type { CommitObserver } from './commit-observer.ts'
import { isKnown, originalOf, PlayedRun } from './played-run.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { ScriptModel } from './script-model.ts'
import type { SpokenTo, Tone } from './spoken.ts'
import { WatchedLoop } from './watched-loop.ts'

/** Something planted between an agent and what it works with, to see whether the properties notice. */
export interface Defect {
  readonly store?: (store: Store) => Store
  readonly tool?: (tool: Tool) => Tool
  readonly options?: (options: AgentOptions) => AgentOptions
}

const leaseMs = 1000

/** One run after the other, each going on from the one before, and the processes that drive them, one at a time. */
export class SequenceHarness {
  readonly clock = fakeClock()
  readonly store = memoryStore({ clock: this.clock })
  readonly faults: string[] = []
  readonly setup: SequenceSetup
  readonly watched: WatchedTools
  readonly model: ScriptModel
  readonly loop: WatchedLoop
  /** Hears of the run that is driven now. */
  readonly #observing: StoreObserver = {
    committing: () => this.observer.committing(),
    committed: (commit) => this.observer.committed(commit),
  }
  readonly #defect: Defect
  #processes = 0
  #played: PlayedRun
  #run: Run
  /** Somebody who drives nothing. */
  readonly #other: Agent
  #decider: Run
  #mortal = new MortalProcess()
  #driving: Promise<void> | undefined
  #rest: RunResult | undefined
  #isLeft = false

  constructor(setup: SequenceSetup, defect: Defect = {}) {
    const { executor } = setup
    const batch = executor === 'parallel' ? Infinity : executor === 'sequential' ? 1 : executor.batch
    this.setup = setup
    this.#defect = defect
    this.#played = new PlayedRun(1, setup.loop.tone)
    this.watched = new WatchedTools(() => this.observer, this.clock, batch)
    this.loop = new WatchedLoop(setup.loop, () => this.runId)
    this.model = new ScriptModel(setup, this.clock.now)
    this.#run = this.#agent().start(this.#played.prompt.text, { runId: this.runId })
    this.#decider = this.#run
    this.#other = this.#agent(new MortalProcess())
  }

  /** Lets somebody else load the run, and the first process drive. */
  async open(): Promise<void> {
    this.#decider = await this.#other.load(this.runId)
    await this.drive()
  }

  /** The run that is driven now, or was driven last. */
  get played(): PlayedRun {
    return this.#played
  }

  get runId(): string {
    return this.#played.id
  }

  /** The id of the run that goes on from this one. */
  get nextId(): string {
    return `run-${this.#played.number + 1}`
  }

  get observer(): CommitObserver {
    return this.#played.observer
  }

  /** The messages of others to the run, in order. */
  get said(): SpokenTo[] {
    return this.#played.said
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

  /** The state of the run after the last drive rested. */
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

  /** Goes on from the run, which is done, with another; the process may die around its first write. */
  async goOn(tone: Tone, dies: 'never' | 'before' | 'after', lease: 'released' | 'expired'): Promise<void> {
    this.#played = new PlayedRun(this.#played.number + 1, tone, await originalOf(this.runId, this.store))
    this.#driving = undefined
    this.#rest = undefined
    if (dies !== 'never') this.#mortal.arm({ write: 1, side: dies })
    try {
      this.#run = await this.#run.prompt(this.#played.prompt.text, { runId: this.runId })
    } catch (error) {
      if (!this.#mortal.isDead) throw error
      if ((await isKnown(this.runId, this.store)) !== (dies === 'after')) this.faults.push(`died ${dies} it was stored`)
      await this.revive(lease)
    }
    this.#decider = await this.#other.load(this.runId)
    await this.drive()
  }

  async #begin(): Promise<void> {
    this.#driving = undefined
    this.#mortal = new MortalProcess()
    this.#played.processes++
    const { id, original, prompt } = this.#played
    const agent = this.#agent()
    const isStored = original === undefined || (await isKnown(id, this.store))
    this.#run = isStored
      ? await agent.load(id)
      : await (await agent.load(original.id)).prompt(prompt.text, { runId: id })
  }

  #agent(mortal: MortalProcess = this.#mortal) {
    const { limit, onRepeat, replies: _, isWatched, loop: __, toString: ___, ...options } = this.setup
    const { store = same, tool = same, options: altered = same } = this.#defect
    const watching = { name: 'watching', gateCall: () => {}, reviewCall: () => {} }
    const { plugins, ...loop } = this.loop.options(mortal)
    return createAgent(
      altered({
        ...options,
        ...loop,
        name: 'test',
        model: this.model.of(mortal),
        tools: this.watched.tools(mortal).map(tool),
        plugins: isWatched ? [watching, ...plugins] : plugins,
        limits: { ...limit, onRepeat },
        retry: { maxRetries: 0 },
        store: store(mortalStore(this.store, mortal, this.#observing)),
        clock: this.clock,
        ids: countedIds(`p${++this.#processes}`),
        leaseMs,
      }),
    )
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

function same<Value>(value: Value): Value {
  return value
}
