import type { AnyStateMachine } from 'xstate'
import { type Chart, modelCallMachine, readChart, runMachine, toolCallMachine } from '../../../machines/index.ts'
import type { RunsCoverage } from '../../testing/index.ts'
import { type ChartPart, partOf } from './chart-part.ts'
import { type ChartCoverage, coverChart } from './cover-chart.ts'
import { drawChart } from './draw-chart.ts'
import type { DrawnChart } from './drawn-chart.ts'

const ours = { run: runMachine, 'tool-call': toolCallMachine, 'model-call': modelCallMachine }

/** Draws charts. Each part of a chart is drawn only once. */
export class ChartDrawer {
  readonly #charts: ReadonlyMap<string, Chart>
  readonly #own: ReadonlySet<string>
  readonly #drawn = new Map<string, DrawnChart>()

  constructor(own: Readonly<Record<string, AnyStateMachine>>) {
    this.#charts = new Map(Object.entries({ ...ours, ...own }).map(([name, machine]) => [name, readChart(machine)]))
    this.#own = new Set(Object.keys(own))
  }

  get names(): readonly string[] {
    return [...this.#charts.keys()]
  }

  /** The whole chart of a run, of which its checkpoints are states. */
  get run(): Chart {
    return this.#charts.get('run') ?? readChart(runMachine)
  }

  /** Returns a chart's overview, or one compound of it; undefined for an unknown name. */
  draw(name: string, inside = ''): DrawnChart | undefined {
    const key = `${name} ${inside}`
    const drawn = this.#drawn.get(key) ?? this.#ofPart(name, inside, (part, whole) => drawChart(name, part, whole))
    if (drawn !== undefined) this.#drawn.set(key, drawn)
    return drawn
  }

  /** Returns how often stored runs walk the lines that `draw` gives. */
  cover(name: string, inside: string | undefined, found: RunsCoverage): ChartCoverage | undefined {
    return this.#ofPart(name, inside, (part, whole) => coverChart(name, part, whole, found))
  }

  #ofPart<Made>(name: string, inside = '', make: (part: ChartPart, whole: Chart) => Made): Made | undefined {
    const whole = this.#charts.get(name)
    const part = whole && partOf(whole, inside, !this.#own.has(name))
    return whole && part && make(part, whole)
  }
}
