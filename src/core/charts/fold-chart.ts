import { checkChart } from './check-given.ts'
import { type Chart, type ChartArrow, type ChartState, parentOf, targetsOf } from './chart.ts'

/** The number of events that a transition of a folded chart names; further events are counted. */
const mostEvents = 3

/**
 * Returns an overview of a chart: its compound states and the transitions between them. A compound state without inner
 * compound states becomes an atomic state; one with inner compound states stays compound. A chart without compound
 * states stays unchanged.
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

/** A transition between two states of an overview, with its events. */
interface Way {
  readonly from: string
  readonly to: string
  readonly events: ReadonlySet<string>
}

/** Paths of the states that stay compound in an overview, including the root. */
type Frames = ReadonlySet<string>

/** Returns the frames of a chart, or undefined for a chart without compound states. */
function framesOf(states: readonly ChartState[]): Frames | undefined {
  const outer = states.filter(({ path, kind }) => path !== '' && (kind === 'compound' || kind === 'parallel'))
  return outer.length === 0 ? undefined : new Set(['', ...outer.map(({ path }) => parentOf(path))])
}

/**
 * Returns the transitions between the states of an overview. A transition from a frame to its own children is left out,
 * because the frame implies it.
 */
function waysOf(states: readonly ChartState[], frames: Frames): readonly Way[] {
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

/** Returns the state of an overview that contains a state: the outermost that is not a frame, or the state itself. */
function nodeOf(path: string, frames: Frames): string {
  const keys = path.split('.')
  const way = keys.map((_, index) => keys.slice(0, index + 1).join('.'))
  return way.find((one) => !frames.has(one)) ?? path
}

/** Returns the innermost state that is entered together with this state. */
function entered(path: string, states: readonly ChartState[]): string {
  const initial = states.find((state) => state.path === path)?.initial ?? ''
  return initial === '' ? path : entered(initial, states)
}
