/** One arrow of a chart, in the words of its config. */
export interface ChartArrow {
  /** Path of the state it leaves, `running.round`; empty for the root. */
  readonly from: string
  /** Event type, `done(src)`, `error(src)`, `done(state)`, `after(500)`, or `always`. */
  readonly event: string
  readonly guard: string
  /** Path of the state it enters, several joined by `, `; null where it stays and only acts. */
  readonly to: string | null
  readonly reenters: boolean
  readonly actions: readonly string[]
}

/** One state of a chart, the root first and children after their parent. */
export interface ChartState {
  readonly path: string
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly description: string
  readonly initial: string | null
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  /** `src as id` for each invoked actor. */
  readonly invokes: readonly string[]
  readonly arrows: readonly ChartArrow[]
}

/** A machine as something to draw. */
export interface Chart {
  readonly name: string
  readonly description: string
  readonly states: readonly ChartState[]
}

/** What a drawing marks: for each state path the places it has on a way through the chart, and where that way ends. */
export interface ChartMarks {
  readonly places: ReadonlyMap<string, readonly number[]>
  /** Paths of the states that are active at the end, parents included. */
  readonly active: ReadonlySet<string>
}

/** Path of the state around this one; empty for the root. */
export function parentOf(path: string): string {
  return path.split('.').slice(0, -1).join('.')
}

/** The last key of a path. */
export function lastOf(path: string): string {
  return path.split('.').at(-1) ?? path
}

/** The states an arrow enters: none where it only acts. */
export function targetsOf({ to }: Pick<ChartArrow, 'to'>): readonly string[] {
  return to === null ? [] : to.split(', ')
}
