import type { RunInput, RunOptions } from '../../../machines/run/run.types.ts'
import { assembleRun, type Interpreter, runCharts, type RunMachines } from '../../agent/run-charts.ts'
import type { JsonObject } from '../../domain/json.ts'
import { userMessage } from '../../domain/message.ts'
import { OutboxBySystem } from '../../runtime/outbox-by-system.ts'
import { reviveActor, type StoredActor } from '../../runtime/persist.ts'
import type { Charts } from '../../runtime/stepper.ts'
import type { Move, Standing } from './exploration-types.ts'
import { LiveChart, type MicrostepWatcher, type Step } from './live-chart.ts'
import { eventOf, outputOf, type OutcomeSource } from './move-outcomes.ts'

/** Which runs a harness plays. */
export interface ChartHarnessOptions {
  /** Options of the run that is played. */
  readonly options: RunOptions
  /** Default: the charts as they are. */
  readonly machines?: RunMachines
  /** What takes the steps. Default `both`: each step by tables and by XState's own code, which have to agree. */
  readonly interpreter?: Interpreter | 'both'
  readonly onMicrostep?: MicrostepWatcher
}

/** Plays runs of given options through the engine's core: kept alive, or each move from JSON to JSON. */
export class ChartHarness {
  readonly input: RunInput
  readonly charts: Charts
  readonly #twin: Charts | undefined
  readonly #onMicrostep: MicrostepWatcher

  constructor({ options, machines, interpreter = 'both', onMicrostep = () => {} }: ChartHarnessOptions) {
    this.input = { options, messages: [userMessage('Go.', 1)] }
    this.charts = chartsOf(machines, interpreter === 'official' ? 'official' : 'tables')
    this.#twin = interpreter === 'both' ? chartsOf(machines, 'official') : undefined
    this.#onMicrostep = onMicrostep
  }

  /** A new run, kept alive; `open` starts it. */
  live(): LiveChart {
    return new LiveChart(this.#parts())
  }

  /** The run restored from its text, or from the snapshot that stands in its place, and kept alive. */
  restored(standing: Standing): LiveChart {
    const from = { standing, snapshot: standing.snapshot ?? this.revive(standing.text) }
    return new LiveChart({ ...this.#parts(), from })
  }

  #parts() {
    const twin = this.#twin === undefined ? {} : { twin: this.#twin }
    return { charts: this.charts, input: this.input, onMicrostep: this.#onMicrostep, ...twin }
  }

  /** The start of a new run. */
  open(): Step {
    const live = this.live()
    const step = live.open()
    live.close()
    return step
  }

  /** Restores the run from its text and makes one move. */
  step(before: Standing, move: Move, observed: OutcomeSource): Step {
    const live = this.restored(before)
    const step = makeMove(live, move, observed)
    live.close()
    return step
  }

  /** The snapshot of a run's text, as a store gives it back. */
  revive(text: string): JsonObject {
    return reviveActor(JSON.parse(text) as StoredActor, 'root', this.charts.defaults(this.input))
  }
}

/** Makes one move of an exploration on a chart that is kept alive. */
export function makeMove(live: LiveChart, move: Move, observed: OutcomeSource): Step {
  if (move.type !== 'complete') return live.send(eventOf(move, observed))
  return live.complete(move.owner, move.src, (effect) => outputOf(effect, move.outcome, observed))
}

/** Charts assembled once for every run that a harness plays. */
function chartsOf(machines: RunMachines | undefined, interpreter: Interpreter): Charts {
  if (machines === undefined && interpreter === 'tables') return runCharts
  const outboxes = new OutboxBySystem()
  const machine = assembleRun(({ system }) => outboxes.of(system), machines, interpreter)
  return { ...runCharts, assemble: () => machine, outboxes }
}
