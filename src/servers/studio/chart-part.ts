import type { Chart, ChartArrow, ChartState } from '../../../machines/index.ts'

/** What of a chart is drawn at once. */
export interface ChartPart {
  readonly chart: Chart
  readonly inside: string
  readonly notes: readonly string[]
}

/** Events that a line names; the others are counted. */
const mostEvents = 1

/** Letters of an event's name that a line shows. */
const longestEvent = 22

/** States that an overview may have; with more, its compounds are closed. */
const mostInOverview = 16

/**
 * What is drawn of a chart: of the whole the outer states and what stands in these, of a compound what stands in it.
 * Transitions lead between what is drawn. Undefined where there is no such compound.
 */
export function partOf(whole: Chart, inside: string): ChartPart | undefined {
  const holds = (path: string) => whole.states.some((state) => state.path.startsWith(`${path}.`))
  if (inside !== '' && !holds(inside)) return undefined
  const within = (depth: number) => whole.states.filter(({ path }) => depthIn(path, inside) <= depth)
  const near = inside === '' && within(2).length <= mostInOverview ? within(2) : within(1)
  const states = near.map((state) => {
    const arrows = whole.states.filter(({ path }) => homeOf(path, near) === state.path).flatMap((one) => one.arrows)
    const kind =
      near.some(({ path }) => path.startsWith(`${state.path}.`)) || state.path === '' ? state.kind : closed(state)
    return { ...state, kind, arrows: joined(state.path, arrows, { near, whole }) }
  })
  return { chart: { ...whole, states }, inside, notes: notesOf(whole, inside) }
}

/** The lines of a part: one for all transitions between the same two states. */
export function linesOf({ chart }: ChartPart): readonly { from: string; to: string; label: string }[] {
  return chart.states.flatMap(({ path, arrows }) =>
    path === ''
      ? []
      : arrows.map(({ event, to }) => ({ from: path, to: to ?? path, label: labelOf(event.split(' | ')) })),
  )
}

/** Whether a state holds others that a part does not draw. */
export function opensIn({ chart, inside }: ChartPart, whole: Chart, { path }: ChartState): boolean {
  const holds = (states: readonly ChartState[]) => states.some((other) => other.path.startsWith(`${path}.`))
  return path !== '' && path !== inside && holds(whole.states) && !holds(chart.states)
}

/** 0 for the part itself, 1 for what stands in it, and nothing that is outside of it. */
function depthIn(path: string, inside: string): number {
  if (path === inside) return 0
  if (inside !== '' && !path.startsWith(`${inside}.`)) return Infinity
  return path.split('.').length - (inside === '' ? 0 : inside.split('.').length)
}

/** The innermost drawn state that a state stands in. */
function homeOf(path: string, drawn: readonly ChartState[]): string | undefined {
  const homes = drawn.filter((state) => state.path === '' || state.path === path || path.startsWith(`${state.path}.`))
  return homes.toSorted((left, right) => right.path.length - left.path.length)[0]?.path
}

/** A compound that is drawn closed is a state like others. */
function closed({ kind }: ChartState): ChartState['kind'] {
  return kind === 'compound' ? 'atomic' : kind
}

/** One transition for all that lead from one drawn state to another. */
function joined(
  from: string,
  arrows: readonly ChartArrow[],
  { near, whole }: { readonly near: readonly ChartState[]; readonly whole: Chart },
): readonly ChartArrow[] {
  const byTarget = new Map<string, Set<string>>()
  for (const { event, to } of arrows) {
    for (const target of to === null ? [] : to.split(', ')) {
      const home = homeOf(entered(target, whole), near)
      if (home === undefined || home === from || home === '' || home.startsWith(`${from}.`)) continue
      byTarget.set(home, (byTarget.get(home) ?? new Set()).add(event))
    }
  }
  return [...byTarget].map(([to, events]) => {
    return { from, event: [...events].join(' | '), guard: '', to, reenters: false, actions: [] }
  })
}

/** The innermost state that is entered with this one. */
function entered(path: string, whole: Chart): string {
  const initial = whole.states.find((state) => state.path === path)?.initial ?? ''
  return initial === '' || initial.includes(', ') ? path : entered(initial, whole)
}

function notesOf(whole: Chart, inside: string): readonly string[] {
  if (inside === '') {
    const everywhere = whole.states.find(({ path }) => path === '')?.arrows ?? []
    return everywhere.flatMap(({ event, to }) => (to === null ? [] : [`${event} → ${to}`]))
  }
  const isIn = (path: string) => path === inside || path.startsWith(`${inside}.`)
  const leaving = whole.states.filter(({ path }) => isIn(path)).flatMap(({ arrows }) => arrows)
  const ways = leaving.flatMap(({ from, event, to }) => {
    const name = from === inside ? 'from all of it' : from.slice(inside.length + 1)
    return to === null || isIn(to) ? [] : [`${name}: ${event} → ${to}`]
  })
  return [...new Set(ways)]
}

/** What the chart does by itself needs no name. */
function labelOf(events: readonly string[]): string {
  const told = events.filter((event) => event !== 'always')
  const more = told.length - mostEvents
  const named = told
    .slice(0, mostEvents)
    .map((one) => (one.length > longestEvent ? `${one.slice(0, longestEvent)}…` : one))
  return [...named, ...(more > 0 ? [`+${more}`] : [])].join(' ')
}
