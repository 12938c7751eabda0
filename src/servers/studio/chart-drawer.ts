import type { AnyStateMachine } from 'xstate'
import { type Chart, modelCallMachine, readChart, runMachine, toolCallMachine } from '../../../machines/index.ts'
import { partOf } from './chart-part.ts'
import type { DrawnChart } from './drawn-chart.ts'
import { ElkThread } from './elk-thread.ts'
import { drawPlainly } from './draw-plainly.ts'

/** Draws charts, each part of each once. */
export class ChartDrawer {
  readonly #charts: ReadonlyMap<string, Chart>
  readonly #drawn = new Map<string, Promise<DrawnChart>>()
  readonly #elk = new ElkThread()

  constructor(own: Readonly<Record<string, AnyStateMachine>>) {
    const machines = { run: runMachine, 'tool-call': toolCallMachine, 'model-call': modelCallMachine, ...own }
    this.#charts = new Map(Object.entries(machines).map(([name, machine]) => [name, readChart(machine)]))
  }

  get names(): readonly string[] {
    return [...this.#charts.keys()]
  }

  /** A chart's overview, or one compound of it; undefined if there is none of that name. */
  async draw(name: string, inside = ''): Promise<DrawnChart | undefined> {
    const whole = this.#charts.get(name)
    const part = whole && partOf(whole, inside)
    if (whole === undefined || part === undefined) return undefined
    const key = `${name} ${inside}`
    // Without elkjs, or if it fails, the plain drawing shows the same.
    const drawn =
      this.#drawn.get(key) ?? this.#elk.draw(name, part, whole).then((found) => found ?? drawPlainly(name, part, whole))
    this.#drawn.set(key, drawn)
    return await drawn
  }

  async close(): Promise<void> {
    await this.#elk.close()
  }
}
