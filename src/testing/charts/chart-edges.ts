import { type Candidate, eventName, listsOf, nameOf, type StateConfig, statesOf } from './chart-config.ts'

/** One transition of a chart and where it stands. */
export interface ChartEdge {
  readonly chart: string
  /** Path of the state it leaves; empty for the root. */
  readonly from: string
  /** Event type as the interpreter has it; empty for `always`. */
  readonly event: string
  /** Its place among the transitions of that event. */
  readonly index: number
  readonly config: Candidate
}

/** Every transition of a copied config, in the order of the chart. */
export function edgesOf(chart: string, config: StateConfig): readonly ChartEdge[] {
  return statesOf(config).flatMap(({ path, state }) =>
    listsOf(state).flatMap(({ event, candidates }) =>
      candidates.map((edge, index): ChartEdge => ({ chart, from: path.join('.'), event, index, config: edge })),
    ),
  )
}

/** A name for a transition that stays the same while the chart does. */
export function edgeId({ chart, from, event, index }: Omit<ChartEdge, 'config'>): string {
  return `${chart} ${from || '(root)'} ${eventName(event)} ${index + 1}`
}

/** A guard with its literal parameters: `isSuppliedAs(succeeded)`. */
export function guardName({ guard }: Candidate): string {
  if (guard === undefined || typeof guard === 'function') return ''
  const literals = typeof guard === 'string' ? '' : literalsIn(guard.params)
  return literals === '' ? nameOf(guard) : `${nameOf(guard)}(${literals})`
}

/** A test runner that transforms sources may write them in the other quotes. */
function literalsIn(params: unknown): string {
  return typeof params === 'function'
    ? [...String(params).matchAll(/(['"])([^'"]*)\1/g)].map(([, , text]) => text).join(', ')
    : ''
}
