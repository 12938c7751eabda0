import { type Candidate, eventName, listsOf, nameOf, type StateConfig, statesOf } from './chart-config.ts'

/** One transition of a chart with its position. */
export interface ChartEdge {
  readonly chart: string
  /** Path of the source state; empty for the root. */
  readonly from: string
  /** Event type in XState's form; empty for `always`. */
  readonly event: string
  /** The index of the transition among the transitions of that event. */
  readonly index: number
  readonly config: Candidate
}

/** Returns every transition of a copied config, in the order of the chart. */
export function edgesOf(chart: string, config: StateConfig): readonly ChartEdge[] {
  return statesOf(config).flatMap(({ path, state }) =>
    listsOf(state).flatMap(({ event, candidates }) =>
      candidates.map((edge, index): ChartEdge => ({ chart, from: path.join('.'), event, index, config: edge })),
    ),
  )
}

/** Returns a name for a transition that is stable while the chart does not change. */
export function edgeId({ chart, from, event, index }: Omit<ChartEdge, 'config'>): string {
  return `${chart} ${from || '(root)'} ${eventName(event)} ${index + 1}`
}

/** Returns a guard with its literal parameters: `isSuppliedAs(succeeded)`. */
export function guardName({ guard }: Candidate): string {
  if (guard === undefined || typeof guard === 'function') return ''
  const literals = typeof guard === 'string' ? '' : literalsIn(guard.params)
  return literals === '' ? nameOf(guard) : `${nameOf(guard)}(${literals})`
}

/** Matches both kinds of quotes, because a test runner that transforms sources may change them. */
function literalsIn(params: unknown): string {
  return typeof params === 'function'
    ? [...String(params).matchAll(/(['"])([^'"]*)\1/g)].map(([, , text]) => text).join(', ')
    : ''
}
