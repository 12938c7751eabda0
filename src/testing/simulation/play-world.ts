import { Choices } from './choices.ts'
import { judgeEnd } from './judge-end.ts'
import type { Problem } from './ledger.ts'
import { People } from './people.ts'
import type { SimulationSettings } from './settings.ts'
import { settled } from './scheduler.ts'
import { World } from './world.ts'
import type { Note } from './world-parts.ts'
import { listOutgoing, retryOutgoing } from '../../core/driving/list-outgoing.ts'

/** The outcome of one simulated run of the world. */
export interface PlayedWorld {
  readonly problem: Problem | undefined
  readonly notes: readonly Note[]
  readonly choices: readonly number[]
  readonly commits: number
  readonly faults: number
}

/** Virtual milliseconds within which every run is to end once all faults are over. */
const patienceMs = 15 * 60_000
/** Virtual milliseconds after which a decision that landed in calm counts as overlooked. */
const wakeMs = 3000
/** Turns after which a world counts as one without an end. */
const mostTurns = 20_000

/** Plays one world from its seed to the end of every run, or to the first broken rule. */
export function playWorld<Outside>(
  settings: SimulationSettings<Outside>,
  seed: number,
  given?: readonly number[],
): Promise<PlayedWorld> {
  return new Play(settings, new World(settings, new Choices(seed, given))).toEnd()
}

class Play<Outside> {
  readonly #settings: SimulationSettings<Outside>
  readonly #world: World<Outside>
  readonly #people: People<Outside>
  readonly #runIds: readonly string[]
  readonly #chaosMs: number
  #calmAt: number | undefined
  #unstored = 0

  constructor(settings: SimulationSettings<Outside>, world: World<Outside>) {
    const { choices } = world
    this.#settings = settings
    this.#world = world
    this.#people = new People(world)
    this.#runIds = Array.from({ length: choices.of(1, 1, 1, 2) }, (_, index) => `run-${index + 1}`)
    this.#chaosMs = choices.of(200, 1000, 6000)
  }

  async toEnd(): Promise<PlayedWorld> {
    const { scheduler, ledger, faults, choices, notes } = this.#world
    this.#world.begin()
    this.#world.begin()
    for (const [index, runId] of this.#runIds.entries()) {
      this.#start(runId, index)
      for (let visits = choices.of(4, 6, 9, 12); visits > 0; visits--) this.#people.visit(runId)
    }
    if (this.#settings.next !== undefined && faults.strike(['deploy']) !== undefined)
      void scheduler.wait(choices.pick(300)).then(() => this.#world.deploy())
    for (let turns = 0; ledger.problem === undefined && !this.#isOver(); turns++) {
      await scheduler.step()
      this.#judgeStep(false)
      if (this.#calmAt === undefined && this.#isChaosOver()) this.#becomeCalm()
      if (turns > mostTurns) ledger.fail('every run ends', `Nothing has ended after ${mostTurns} turns.`)
    }
    if (ledger.problem === undefined) await judgeEnd(this.#world)
    this.#judgeStep(true)
    // A request that has begun reaches the open store; a closed store would reject it, and nothing would catch the
    // error.
    await settled()
    await this.#world.store.close()
    scheduler.end()
    return { problem: ledger.problem, notes, choices: choices.made, commits: ledger.commits, faults: faults.count }
  }

  /** Has a run stored by one process or another; the request is repeated until it is stored. */
  #start(runId: string, index: number): void {
    const { choices, scheduler, ledger } = this.#world
    const { prompt } = this.#settings
    this.#unstored++
    void (async () => {
      await scheduler.wait(choices.pick(20))
      while (!ledger.runs.has(runId)) {
        const program = choices.among(this.#world.programs)
        const agent = program?.agents[index % program.agents.length]
        const isQueued = choices.chance(0.5)
        if (program !== undefined && agent !== undefined) {
          const options = { runId, ifExists: 'attach' as const }
          const stored = isQueued
            ? program.worker.start(agent, prompt, options)
            : agent.start(prompt, options).settled({ follow: true })
          stored.catch(() => undefined)
        }
        await scheduler.wait(5000)
      }
      this.#unstored--
    })()
  }

  #isOver(): boolean {
    const { runs } = this.#world.ledger
    if (!this.#people.isDone || !this.#runIds.every((runId) => runs.has(runId))) return false
    // The runs of sub-agents end as well.
    return [...runs.values()].every(({ status }) => status === 'done')
  }

  #isChaosOver(): boolean {
    return this.#world.elapsedMs > this.#chaosMs && this.#unstored === 0 && this.#people.isDone
  }

  #becomeCalm(): void {
    this.#calmAt = this.#world.scheduler.now
    this.#world.calm()
    void this.#close()
  }

  /** Somebody answers all waiting calls, again and again, and has runs that were set aside retried. */
  async #close(): Promise<void> {
    const { scheduler, store } = this.#world
    for (;;) {
      await scheduler.wait(2000)
      for (const { runId } of await store.postponed({ isAside: true })) await store.retry(runId)
      for (const { key } of await listOutgoing(store, { state: 'aside' })) await retryOutgoing(store, key)
      for (const runId of this.#runIds) await this.#people.answerAll(runId)
    }
  }

  #judgeStep(isOver: boolean): void {
    const { ledger, outside, scheduler } = this.#world
    for (const { name, check } of this.#settings.invariants) {
      const message = check({ outside, performances: ledger.performances, isOver })
      if (message !== undefined) ledger.fail(name, message)
    }
    if (this.#calmAt === undefined || isOver) return
    const { now } = scheduler
    if (now - this.#calmAt > patienceMs) ledger.fail('every run ends', this.#unended())
    this.#judgeWaking(now, this.#calmAt + 6000)
  }

  /** Continues a run soon after a decision: by its driver, or by a worker if there is none. */
  #judgeWaking(now: number, from: number): void {
    const { ledger, programs } = this.#world
    for (const { id, unread, holder, heldSince, status } of ledger.runs.values()) {
      const isHeldByLiving = programs.some(({ process }) => process.name === holder?.process)
      if (!isHeldByLiving && (holder !== undefined || status !== 'waiting')) continue
      for (const at of unread.values())
        if (at > from && now - Math.max(at, heldSince) > wakeMs)
          ledger.fail('no lost wake-up', `For ${now - at} ms nobody has taken in a decision for ${id}.`, id)
    }
  }

  #unended(): string {
    const open = [...this.#world.ledger.runs.values()].filter(({ status }) => status !== 'done')
    const told = open.map(({ id, status, holder }) => `${id} is ${status}, held by ${holder?.process ?? 'nobody'}`)
    return `${patienceMs / 60_000} minutes after the last fault, ${told.join('; ') || 'a run is not stored'}.`
  }
}
