import type { Chart, ChartState } from '../../../machines/index.ts'
import { type ChartPart, opensIn } from './chart-part.ts'
import { labelOf, nameOf } from './chart-words.ts'
import type { DrawnArrow, DrawnChart, DrawnState } from './drawn-chart.ts'
import { type Box, layOut } from './lay-out.ts'

/** Sizes of texts in pixels, a little wider than the widest letters that a system font has on average. */
const sizes = { letter: 7.4, small: 6.1, height: 34, padding: 26, least: 84 }

/** Draws a part of a chart: nested states from top to bottom, in the order of the chart. */
export function drawChart(name: string, part: ChartPart, whole: Chart): DrawnChart {
  const { states, lines, inside, notes } = part
  const labels = lines.map(({ words }) => labelOf(words))
  const boxOf = (state: ChartState): Box => {
    const marks = Number(isInitial(state, states)) * 12 + Number(opensIn(part, whole, state)) * 18
    const width = Math.ceil(Math.max(sizes.least, titleOf(state).length * sizes.letter + sizes.padding + marks))
    return { id: state.path, width, height: sizes.height, boxes: childrenOf(states, state.path).map(boxOf) }
  }
  const top = inside === '' ? childrenOf(states, '') : states.filter(({ path }) => path === inside)
  const laid = layOut(
    top.map(boxOf),
    lines.map(({ from, to }, index) => ({ from, to, label: sizeOf(labels[index] ?? []) })),
  )
  const drawn = states.flatMap((state): readonly DrawnState[] => {
    const rect = laid.boxes.get(state.path)
    const { path, kind, description } = state
    if (rect === undefined) return []
    const held = childrenOf(states, path).length > 0
    const marks = { isInitial: isInitial(state, states), isOuter: held, opens: opensIn(part, whole, state) }
    return [{ path, name: titleOf(state), kind, description, ...rect, ...marks }]
  })
  const arrows = lines.map(({ from, to, words }, index): DrawnArrow => {
    const { points = [], labelAt } = laid.lines[index] ?? {}
    return {
      from,
      to,
      label: labels[index] ?? [],
      words: words.filter((one) => one !== ''),
      points,
      ...(labelAt === undefined ? {} : { labelAt }),
    }
  })
  const { width, height } = laid
  return { name, description: whole.description, inside, width, height, states: drawn, arrows, notes }
}

function sizeOf(label: readonly string[]) {
  return { width: Math.ceil(Math.max(0, ...label.map((line) => line.length)) * sizes.small), height: label.length * 13 }
}

function isInitial({ path }: ChartState, states: readonly ChartState[]): boolean {
  const parent = states.find((one) => one.path === path.split('.').slice(0, -1).join('.'))
  return (parent?.initial ?? '').split(', ').some((one) => one === path || one.startsWith(`${path}.`))
}

function childrenOf(states: readonly ChartState[], parent: string): readonly ChartState[] {
  return states.filter(({ path }) => path !== '' && path.split('.').slice(0, -1).join('.') === parent)
}

function titleOf({ path, kind }: ChartState): string {
  return kind === 'parallel' || kind === 'history' ? `${nameOf(path)} (${kind})` : nameOf(path)
}
