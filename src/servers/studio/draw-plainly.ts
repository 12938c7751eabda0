import { type Chart, type ChartState, layOutChart } from '../../../machines/index.ts'
import { type ChartPart, opensIn } from './chart-part.ts'
import type { DrawnArrow, DrawnChart } from './drawn-chart.ts'

/** States below each other, each with its transitions written out: what is drawn without `elkjs`. */
export function drawPlainly(name: string, part: ChartPart, whole: Chart): DrawnChart {
  // Transitions of the whole chart are notes, because it has no box for an arrow to begin at.
  const arrowsOf = ({ path, arrows }: ChartState) => (path === '' ? [] : arrows)
  const drawn = { ...part.chart, states: part.chart.states.map((state) => ({ ...state, arrows: arrowsOf(state) })) }
  const { states, lanes, width, height } = layOutChart(drawn)
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
