import type { Chart, ChartArrow, ChartState } from '../../../machines/index.ts'
import { nameOf, wordsOf } from './chart-words.ts'

/** A part of a chart that is drawn as one picture. */
export interface ChartPart {
  readonly states: readonly ChartState[]
  readonly lines: readonly PartLine[]
  readonly inside: string
  readonly notes: readonly string[]
}

/** A line for all transitions between two drawn states. */
export interface PartLine {
  readonly from: string
  readonly to: string
  /** The distinct labels of its transitions. */
  readonly words: readonly string[]
}

/** The maximum states of an overview, beyond which its compounds are closed; and what is drawn at most. */
const most = { inOverview: 16, states: 120, lines: 500 }

/**
 * Returns the drawn part of a chart: the outer states and their children, or a compound's children, with the
 * transitions between them. Undefined for an unknown compound.
 */
export function partOf(whole: Chart, inside: string, isOurs: boolean): ChartPart | undefined {
  const holds = (path: string) => whole.states.some((state) => state.path.startsWith(`${path}.`))
  if (inside !== '' && !holds(inside)) return undefined
  const within = (depth: number) => whole.states.filter(({ path }) => depthIn(path, inside) <= depth)
  const all = inside === '' && within(2).length <= most.inOverview ? within(2) : within(1)
  const near = all.slice(0, most.states + 1)
  const isOuter = (path: string) => path === '' || near.some((other) => other.path.startsWith(`${path}.`))
  const states = near.map((state) => ({ ...state, kind: isOuter(state.path) ? state.kind : closed(state) }))
  const lines = near.flatMap(({ path }) => {
    const arrows = whole.states.filter((state) => homeOf(state.path, near) === path).flatMap((state) => state.arrows)
    return path === '' ? [] : joined(path, arrows, { near, whole, isOurs })
  })
  const left = [
    ...(all.length > near.length ? [`${all.length - near.length} more states are not drawn`] : []),
    ...(lines.length > most.lines ? [`${lines.length - most.lines} more lines are not drawn`] : []),
  ]
  return { states, lines: lines.slice(0, most.lines), inside, notes: [...left, ...notesOf(whole, inside, isOurs)] }
}

/** Returns true if a state has children that a part does not draw. */
export function opensIn({ states: drawn, inside }: ChartPart, whole: Chart, { path }: ChartState): boolean {
  const holds = (states: readonly ChartState[]) => states.some((other) => other.path.startsWith(`${path}.`))
  return path !== '' && path !== inside && holds(whole.states) && !holds(drawn)
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

interface Joining {
  readonly near: readonly ChartState[]
  readonly whole: Chart
  readonly isOurs: boolean
}

/** Joins the transitions between two drawn states. */
function joined(from: string, arrows: readonly ChartArrow[], { near, whole, isOurs }: Joining): readonly PartLine[] {
  const byTarget = new Map<string, Set<string>>()
  for (const arrow of arrows) {
    for (const home of homesOf(from, arrow.to === null ? [] : arrow.to.split(', '), near, whole))
      byTarget.set(home, (byTarget.get(home) ?? new Set()).add(wordsOf(arrow, isOurs)))
  }
  return [...byTarget].map(([to, words]) => ({ from, to, words: [...words] }))
}

/** Returns the drawn states that a transition out of a drawn state leads to. */
function homesOf(
  from: string,
  targets: readonly string[],
  near: readonly ChartState[],
  whole: Chart,
): readonly string[] {
  return targets.flatMap((target) => {
    const home = homeOf(entered(target, whole), near)
    if (home === undefined || home === from || home === '' || isWithin(home, from) || isWithin(from, home)) return []
    return [home]
  })
}

/** Returns the drawn lines that represent a transition, as `from → to`. */
export function linesOf(
  { states }: ChartPart,
  whole: Chart,
  { from, to }: { readonly from: string; readonly to: readonly string[] },
): readonly string[] {
  const home = homeOf(from, states)
  if (home === undefined || home === '') return []
  return homesOf(home, to, states, whole).map((target) => `${home} → ${target}`)
}

function isWithin(path: string, outer: string): boolean {
  return path.startsWith(`${outer}.`)
}

/** Returns the innermost state that is entered together with this one. */
export function entered(path: string, whole: Chart): string {
  const initial = whole.states.find((state) => state.path === path)?.initial ?? ''
  return initial === '' || initial.includes(', ') ? path : entered(initial, whole)
}

function notesOf(whole: Chart, inside: string, isOurs: boolean): readonly string[] {
  const isIn = (path: string) => path === inside || isWithin(path, inside)
  const leaving = whole.states
    .filter(({ path }) => (inside === '' ? path === '' : isIn(path)))
    .flatMap(({ arrows }) => arrows)
  const ways = leaving.flatMap((arrow) => {
    const { from, to } = arrow
    if (to === null || (inside !== '' && isIn(to))) return []
    const words = wordsOf(arrow, isOurs)
    const start = inside === '' ? '' : from === inside ? 'anywhere: ' : `${nameOf(from)}: `
    return [`${start}${words === '' ? 'goes on' : words} → ${to.split('.').map(nameOf).join(' / ')}`]
  })
  return [...new Set(ways)]
}
