import type { RunContext, RunInput, RunOptions } from '../../machines/run/run.types.ts'
import { assembleRun, runCharts, type RunMachines } from '../../src/agent/run-charts.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import type { Write } from '../../src/domain/log.ts'
import { userMessage } from '../../src/domain/message.ts'
import { reviveActor, type StoredActor } from '../../src/runtime/persist.ts'
import type { Outbox } from '../../src/runtime/effect-logic.ts'
import { Stepper } from '../../src/runtime/stepper.ts'
import { makeMove } from './scenario-moves.ts'
import type { Scenario } from './scenario.ts'
import { joinColumns } from './scenario.ts'
import { nameOfEffect, nameOfWrite } from './scenario-words.ts'

const quiet: RunOptions = {
  executor: { batchSize: null, stopsOnSuspension: false },
  onPartialSuspension: 'continue',
  decisions: 'immediate',
  limits: [],
  repeatLimit: 0,
  stopsOnRepeat: false,
  maxRetries: 0,
  fallbacks: 0,
  watched: [],
}

/** Plays a scenario on given charts and says in words what each move did. */
export class ScenarioPlayer {
  readonly scenario: Scenario
  stepper: Stepper
  /** How often each call has suspended. */
  readonly suspensions = new Map<string, number>()
  #names: string[] = []
  #announced: string[] = []
  #writes: string[] = []
  readonly #applied = new Set<string>()
  #keys = 0

  readonly #machines: RunMachines
  readonly #input: RunInput

  constructor(scenario: Scenario, machines: RunMachines) {
    const { options, limits = [] } = scenario
    this.scenario = scenario
    this.#machines = machines
    this.#input = { options: { ...quiet, ...options, limits }, messages: [userMessage('Go.', 1)] }
    this.stepper = this.#stepper()
  }

  /** Goes on from what is stored of the run, after somebody has changed it. */
  restore(change: (document: string) => string): void {
    const document = JSON.parse(change(JSON.stringify(this.stepper.persisted()))) as StoredActor
    this.stepper.close()
    this.stepper = this.#stepper(reviveActor(document, 'root', runCharts.defaults(this.#input)))
    this.stepper.start()
  }

  #stepper(snapshot?: JsonObject): Stepper {
    return new Stepper({
      charts: {
        ...runCharts,
        assemble: (outbox) => assembleRun(this.#listening(outbox), this.#machines),
        made: () => {},
      },
      input: this.#input,
      ...(snapshot === undefined ? {} : { snapshot }),
      keyFor: () => `k${this.#keys++}`,
      record: (writes) => void this.#writes.push(...writes.filter((write) => this.#changes(write)).map(nameOfWrite)),
      announce: (announced) => void this.#announced.push(wordsOf(announced)),
      setStatus: () => {},
    })
  }

  /** Makes one move; what it did comes as `checkpoints | announcements | writes | effects under way`. */
  make(move: string): string {
    this.#names = []
    this.#announced = []
    this.#writes = []
    if (move === 'end') return this.#end()
    makeMove(this, move)
    const { failure, outbox } = this.stepper
    if (failure !== undefined) return `failed: ${failure instanceof Error ? failure.message : JSON.stringify(failure)}`
    const open = [...outbox.values()].map(nameOfEffect).filter((name) => name !== '')
    return joinColumns([this.#names, this.#announced, this.#writes, open.toSorted()].map((cell) => cell.join(', ')))
  }

  /** Changes of the state are the log's to apply once; asking again changes nothing. */
  #changes(write: Write): boolean {
    if (write.kind !== 'applyPatch') return true
    const before = this.#applied.size
    return this.#applied.add(write.callId).size > before
  }

  #end(): string {
    const { status, context } = this.stepper
    const { outcome, elapsedMs } = context as RunContext
    if (status !== 'done') return status
    const code = outcome?.code ?? outcome?.error?.code
    const ran = elapsedMs > 0 ? ` after ${elapsedMs}` : ''
    return `${outcome?.reason}${code === undefined ? '' : `(${code})`}${ran}`
  }

  #listening(outbox: Outbox): Outbox {
    return {
      ...outbox,
      checkpoint: (name, system) => {
        this.#names.push(name)
        outbox.checkpoint(name, system)
      },
    }
  }
}

function wordsOf({ type, turn, names = [] }: { type: string; turn?: number; names?: readonly string[] }): string {
  return [type, ...(turn === undefined ? [] : [turn]), ...names].join(' ')
}
