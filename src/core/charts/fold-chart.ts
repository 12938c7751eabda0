import { checkChart } from './check-given.ts'
import { type Chart, type ChartArrow, type ChartState, parentOf, targetsOf } from './chart.ts'

/** Events that an arrow of a folded chart names; the others are counted. */
const mostEvents = 3

/**
 * The overview of a chart: its compounds and the ways between them. A compound without another inside becomes one
 * state, and a compound with others inside stays a compound. A chart without compounds stays as it is.
 */
export function foldChart(chart: Chart): Chart {
  checkChart(chart, { field: 'chart', owner: 'foldChart' })
  const frames = framesOf(chart.states)
  if (frames === undefined) return chart
  const ways = waysOf(chart.states, frames)
  const states = chart.states.filter(({ path }) => path === '' || frames.has(parentOf(path)))
  return { ...chart, states: states.map((state) => folded(state, chart.states, frames, ways)) }
}

function folded(state: ChartState, states: readonly ChartState[], frames: Frames, ways: readonly Way[]): ChartState {
  const { path, kind } = state
  const isFrame = frames.has(path)
  const initial = isFrame && state.initial !== null ? nodeOf(entered(path, states), frames) : null
  const arrows = ways.filter(({ from }) => from === path).map(arrowOf)
  return { ...state, kind: kind === 'compound' && !isFrame ? 'atomic' : kind, initial, arrows }
}

function arrowOf({ from, to, events }: Way): ChartArrow {
  const named = [...events].slice(0, mostEvents)
  const more = events.size - named.length
  const event = more > 0 ? `${named.join(' | ')} +${more}` : named.join(' | ')
  return { from, event, guard: '', to, reenters: false, actions: [] }
}

/** A way between two states of an overview, with the events that go it. */
export interface Way {
  readonly from: string
  readonly to: string
  readonly events: ReadonlySet<string>
}

/** Paths of the compounds that stay compounds in an overview, the root among them. */
export type Frames = ReadonlySet<string>

/** The frames of a chart; undefined for one without compounds. */
export function framesOf(states: readonly ChartState[]): Frames | undefined {
  const outer = states.filter(({ path, kind }) => path !== '' && (kind === 'compound' || kind === 'parallel'))
  return outer.length === 0 ? undefined : new Set(['', ...outer.map(({ path }) => parentOf(path))])
}

/** The ways between the states of an overview. One from a frame into its own inside is left out: the frame shows it. */
export function waysOf(states: readonly ChartState[], frames: Frames): readonly Way[] {
  const ways = new Map<string, Way & { readonly events: Set<string> }>()
  for (const arrow of states.flatMap((state) => state.arrows)) {
    for (const target of targetsOf(arrow)) {
      const [from, to] = [nodeOf(arrow.from, frames), nodeOf(entered(target, states), frames)]
      if (from === to || (from !== '' && to.startsWith(`${from}.`))) continue
      const way = ways.get(`${from} ${to}`) ?? { from, to, events: new Set<string>() }
      way.events.add(arrow.event)
      ways.set(`${from} ${to}`, way)
    }
  }
  return [...ways.values()]
}

/** The state of an overview that a state is folded into: the first on the way down that is no frame, or itself. */
export function nodeOf(path: string, frames: Frames): string {
  const keys = path.split('.')
  const way = keys.map((_, index) => keys.slice(0, index + 1).join('.'))
  return way.find((one) => !frames.has(one)) ?? path
}

/** The innermost state that is entered with this one. */
export function entered(path: string, states: readonly ChartState[]): string {
  const initial = states.find((state) => state.path === path)?.initial ?? ''
  return initial === '' ? path : entered(initial, states)
}
