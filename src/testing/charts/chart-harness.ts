import type { RunInput, RunOptions } from '../../../machines/run/run.types.ts'
import { chartsOf, runCharts, type RunMachines } from '../../core/driving/run-charts.ts'
import { defined } from '../../core/domain/text/json.ts'
import { userMessage } from '../../core/domain/message.ts'
import { reviveRun, type StoredActor } from '../../core/runtime/persist.ts'
import type { Charts } from '../../core/runtime/stepper.ts'
import type { MachineState } from '../../core/step/actor-state.ts'
import type { Interpreter } from '../../core/step/steps-of.ts'
import type { Move, Standing } from './exploration-types.ts'
import { type InspectionWatcher, LiveChart, type MicrostepWatcher, type Step } from './live-chart.ts'
import { eventOf, outputOf, type OutcomeSource } from './move-outcomes.ts'

/** Options of a harness. */
export interface ChartHarnessOptions {
  /** Options of the simulated run. */
  readonly options: RunOptions
  /** Default: the original charts. */
  readonly machines?: RunMachines
  /** The interpreter of the steps. Default `both`: the tables and XState's own code take each step and must agree. */
  readonly interpreter?: Interpreter | 'both'
  readonly onMicrostep?: MicrostepWatcher
  readonly onInspect?: InspectionWatcher
}

/** Drives runs through the engine's core, either live or with a restore from JSON before each move. */
export class ChartHarness {
  readonly input: RunInput
  readonly charts: Charts
  readonly #twin: Charts | undefined
  readonly #onMicrostep: MicrostepWatcher
  readonly #onInspect: InspectionWatcher | undefined

  constructor({ options, machines, interpreter = 'both', onMicrostep = () => {}, onInspect }: ChartHarnessOptions) {
    this.input = { options, messages: [userMessage('Go.', 1)] }
    this.charts = played(machines, interpreter === 'xstate' ? 'xstate' : 'tables')
    this.#twin = interpreter === 'both' ? played(machines, 'xstate') : undefined
    this.#onMicrostep = onMicrostep
    this.#onInspect = onInspect
  }

  /** Returns a new live run; `open` starts it. */
  live(): LiveChart {
    return new LiveChart(this.#parts())
  }

  /** Restores a live run from its text, or from its snapshot if one is given. */
  restored(standing: Standing): LiveChart {
    const from = { standing, snapshot: standing.snapshot ?? this.revive(standing.text) }
    return new LiveChart({ ...this.#parts(), from })
  }

  #parts() {
    const more = defined({ twin: this.#twin, onInspect: this.#onInspect })
    return { charts: this.charts, input: this.input, onMicrostep: this.#onMicrostep, ...more }
  }

  /** Starts a new run. */
  open(): Step {
    return this.live().open()
  }

  /** Restores the run from its text and makes one move. */
  step(before: Standing, move: Move, observed: OutcomeSource): Step {
    return makeMove(this.restored(before), move, observed)
  }

  /** Returns the snapshot of a run's text in the form that a store returns. */
  revive(text: string): MachineState {
    return reviveRun(JSON.parse(text) as StoredActor, this.charts.defaults(this.input))
  }
}

/** Makes one move of an exploration on a live chart. */
export function makeMove(live: LiveChart, move: Move, observed: OutcomeSource): Step {
  if (move.type !== 'complete') return live.send(eventOf(move, observed))
  return live.complete(move.owner, move.src, (effect) => outputOf(effect, move.outcome, observed))
}

/** Returns the charts; the original charts with tables are shared by all harnesses. */
function played(machines: RunMachines | undefined, interpreter: Interpreter): Charts {
  return machines === undefined && interpreter === 'tables' ? runCharts : chartsOf(machines, interpreter)
}
