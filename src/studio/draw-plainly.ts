import { type Chart, layOutChart } from '../../machines/index.ts'
import { type ChartPart, opensIn } from './chart-part.ts'
import type { DrawnArrow, DrawnChart } from './drawn-chart.ts'

/** States below each other, each with its transitions written out: what is drawn without `elkjs`. */
export function drawPlainly(name: string, part: ChartPart, whole: Chart): DrawnChart {
  const { states, lanes, width, height } = layOutChart(part.chart)
  const boxes = states.filter(({ state }) => state.path !== '')
  return {
    name,
    description: whole.description,
    inside: part.inside,
    width,
    height,
    states: boxes.map(({ state, rows, x, y, width: wide, height: high, isInitial }) => ({
      path: state.path,
      name: state.path.split('.').at(-1) ?? '',
      kind: state.kind,
      description: state.description,
      x,
      y,
      width: wide,
      height: high,
      isInitial,
      isOuter: boxes.some((other) => other.state.path.startsWith(`${state.path}.`)),
      opens: opensIn(part, whole, state),
      rows,
    })),
    arrows: lanes.flatMap(({ x, target, stubs }) =>
      stubs.map((stub): DrawnArrow => {
        const turns = [
          [x, stub.y],
          [x, target.y],
        ] as const
        return { from: '', to: '', label: '', points: [[stub.x, stub.y], ...turns, [target.x, target.y]] }
      }),
    ),
    notes: part.notes,
  }
}
