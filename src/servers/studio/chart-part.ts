import type { Chart, ChartArrow, ChartState } from '../../../machines/index.ts'

/** The part of a chart that is drawn at once. */
export interface ChartPart {
  readonly chart: Chart
  readonly inside: string
  readonly notes: readonly string[]
}

/** The maximum events in a line's label; further ones are counted. */
const mostEvents = 1

/** The maximum characters of an event's name in a label. */
const longestEvent = 22

/** The maximum states of an overview; with more, its compounds are closed. */
const mostInOverview = 16

/**
 * Returns the drawn part of a chart: the outer states and their children, or a compound's children, with the
 * transitions between them. Undefined for an unknown compound.
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

/** Returns true if a state has children that a part does not draw. */
export function opensIn({ chart, inside }: ChartPart, whole: Chart, { path }: ChartState): boolean {
  const holds = (states: readonly ChartState[]) => states.some((other) => other.path.startsWith(`${path}.`))
  return path !== '' && path !== inside && holds(whole.states) && !holds(chart.states)
}

/** 0 for the part itself, 1 for its children; undefined outside of it. */
function depthIn(path: string, inside: string): number {
  if (path === inside) return 0
  if (inside !== '' && !path.startsWith(`${inside}.`)) return Infinity
  return path.split('.').length - (inside === '' ? 0 : inside.split('.').length)
}

/** Returns the innermost drawn state around a state. */
function homeOf(path: string, drawn: readonly ChartState[]): string | undefined {
  const homes = drawn.filter((state) => state.path === '' || state.path === path || path.startsWith(`${state.path}.`))
  return homes.toSorted((left, right) => right.path.length - left.path.length)[0]?.path
}

/** A closed compound is drawn like an atomic state. */
function closed({ kind }: ChartState): ChartState['kind'] {
  return kind === 'compound' ? 'atomic' : kind
}

/** Joins the transitions between two drawn states. */
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

/** Returns the innermost state that is entered with this one. */
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

/** A transition without an event has no label. */
function labelOf(events: readonly string[]): string {
  const told = events.filter((event) => event !== 'always')
  const more = told.length - mostEvents
  const named = told
    .slice(0, mostEvents)
    .map((one) => (one.length > longestEvent ? `${one.slice(0, longestEvent)}…` : one))
  return [...named, ...(more > 0 ? [`+${more}`] : [])].join(' ')
}
