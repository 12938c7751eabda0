import { outcomeOf } from '../../machines/run/run.ending.ts'
import type { RunContext, RunOptions } from '../../machines/run/run.types.ts'
import type { RunMachines } from '../../src/core/driving/run-charts.ts'
import type { Interpreter } from '../../src/core/step/steps-of.ts'
import type { Write } from '../../src/core/domain/log.ts'
import { ChartHarness } from '../../src/testing/charts/chart-harness.ts'
import type { Happening } from '../../src/testing/charts/exploration-types.ts'
import type { LiveChart, Step } from '../../src/testing/charts/live-chart.ts'
import { makeMove, type Playing } from './scenario-moves.ts'
import { type Scenario, joinColumns } from './scenario.ts'
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
  queueModes: { steer: 'one', followUp: 'one' },
  onModelFailure: 'end',
  outputRetries: 3,
  watched: [],
}

/** Plays a scenario on given charts and says in words what each move did. */
export class ScenarioPlayer implements Playing {
  readonly scenario: Scenario
  live: LiveChart
  /** The number of suspensions of each call. */
  readonly suspensions = new Map<string, number>()
  readonly #harness: ChartHarness
  readonly #applied = new Set<string>()

  constructor(scenario: Scenario, machines: RunMachines, interpreter: Interpreter | 'both') {
    const { options, limits = [] } = scenario
    this.scenario = scenario
    this.#harness = new ChartHarness({ options: { ...quiet, ...options, limits }, machines, interpreter })
    this.live = this.#harness.live()
  }

  /** Goes on from what is stored of the run, after somebody has changed it. */
  restore(change: (document: string) => string): Step {
    const { standing } = this.live
    this.live = this.#harness.restored({ ...standing, text: change(standing.text) })
    return { happenings: [], standing: this.live.standing }
  }

  /** Makes one move; what it did comes as `checkpoints | announcements | writes | effects under way`. */
  make(move: string): string {
    if (move === 'end') return this.#end()
    const { happenings, standing } = makeMove(this, move)
    const { failure, effects } = standing
    if (failure !== undefined) return `failed: ${failure instanceof Error ? failure.message : JSON.stringify(failure)}`
    const open = effects.map(nameOfEffect).filter((name) => name !== '')
    const [names, announced, writes] = this.#columnsOf(happenings)
    return joinColumns([names, announced, writes, open.toSorted()].map((cell) => cell.join(', ')))
  }

  #columnsOf(happenings: readonly Happening[]): readonly [string[], string[], string[]] {
    const [names, announced, writes]: [string[], string[], string[]] = [[], [], []]
    for (const seen of happenings) {
      if (seen.kind === 'name') names.push(seen.name)
      if (seen.kind === 'announcement') announced.push(wordsOf(seen.announcement))
      if (seen.kind === 'write' && this.#changes(seen.write)) writes.push(nameOfWrite(seen.write))
    }
    return [names, announced, writes]
  }

  /** Changes of the state are the log's to apply once; asking again changes nothing. */
  #changes(write: Write): boolean {
    if (write.kind !== 'applyPatch') return true
    const before = this.#applied.size
    return this.#applied.add(write.callId).size > before
  }

  #end(): string {
    const { status, context } = this.live
    const run = context as RunContext
    const { elapsedMs, input } = run
    const outcome = outcomeOf(run)
    if (status !== 'done') return status
    const code = outcome?.code ?? outcome?.error?.code
    const ran = elapsedMs > 0 ? ` after ${elapsedMs}` : ''
    const kept = input !== 'taken' ? ' with its input' : ''
    return `${outcome?.reason}${code === undefined ? '' : `(${code})`}${ran}${kept}`
  }
}

/** The content of an announcement, as far as the scenarios describe it. */
interface Told {
  readonly type: string
  readonly turn?: number
  readonly names?: readonly string[]
  readonly kind?: string
  readonly rejection?: { readonly filter: string }
}

function wordsOf({ type, turn, names = [], kind, rejection }: Told): string {
  const rest = [turn, ...names, kind, rejection && `by ${rejection.filter}`]
  return [type, ...rest.filter((word) => word !== undefined)].join(' ')
}
