import { type ComponentChild, h } from 'preact'
import { ChartView } from './chart-view.ts'
import { chartAddress } from './route.ts'

/** The charts by themselves: those of the engine, and those that the studio was given. */
export function ChartsPage({
  charts,
  chart,
  inside,
}: {
  readonly charts: readonly string[]
  readonly chart: string
  readonly inside: string
}): ComponentChild {
  return h('div', { class: 'charts-page' }, [
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Charts' },
      charts.map((name) =>
        h('a', { key: name, href: chartAddress(name), 'aria-current': name === chart ? 'page' : undefined }, name),
      ),
    ),
    h(ChartView, { chart, inside, onInside: (path) => (location.hash = chartAddress(chart, path)) }),
  ])
}
