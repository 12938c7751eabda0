import type { Chart, ChartArrow, ChartState } from '../../src/core/charts/chart.ts'

/**
 * The adjacency of a chart, one fact a line, states in alphabetical order. Arrows of one state and event keep
 * the order of the config, because the first whose guard holds is taken.
 */
export function writeGolden({ states }: Chart): string {
  const lines = [...states].sort(byPath).flatMap((state) => [...factLines(state), ...arrowLines(state)])
  return `${lines.join('\n')}\n`
}

function factLines({ path, kind, initial, entry, exit, invokes }: ChartState): readonly string[] {
  const name = path === '' ? '(root)' : path
  return [
    ...(kind === 'final' || kind === 'parallel' || kind === 'history' ? [`${name} is ${kind}`] : []),
    ...(initial === null ? [] : [`${name} --(initial)--> ${initial}`]),
    ...(entry.length === 0 ? [] : [`${name} --(entry)--> / ${entry.join(', ')}`]),
    ...(exit.length === 0 ? [] : [`${name} --(exit)--> / ${exit.join(', ')}`]),
    ...invokes.map((invoke) => `${name} --(invokes)--> ${invoke}`),
  ]
}

function arrowLines({ arrows }: ChartState): readonly string[] {
  const events = [...new Set(arrows.map(({ event }) => event))].sort()
  return events.flatMap((event) => arrows.filter((arrow) => arrow.event === event).map(arrowLine))
}

function arrowLine({ from, event, guard, to, reenters, actions }: ChartArrow): string {
  const start = `${from === '' ? '(root)' : from} --${event}${guard === '' ? '' : `[${guard}]`}-->`
  const target = to === null ? '(stays)' : `${to}${reenters ? ' (reenters)' : ''}`
  return `${start} ${target}${actions.length === 0 ? '' : ` / ${actions.join(', ')}`}`
}

function byPath(left: ChartState, right: ChartState): number {
  return left.path < right.path ? -1 : left.path > right.path ? 1 : 0
}
