/** One transition of a chart, in the notation of its config. */
export interface ChartArrow {
  /** Path of the source state, such as `running.round`; empty for the root. */
  readonly from: string
  /** Event type, `done(src)`, `error(src)`, `done(state)`, `after(500)`, or `always`. */
  readonly event: string
  readonly guard: string
  /** Path of the target state, several joined by `, `; null for a transition that only runs actions. */
  readonly to: string | null
  readonly reenters: boolean
  readonly actions: readonly string[]
}

/** One state of a chart. The root is first, and children follow their parent. */
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

/** A machine in a form that can be drawn. */
export interface Chart {
  readonly name: string
  readonly description: string
  readonly states: readonly ChartState[]
}

/** Marks of a path through a chart: for each state its positions on the path, and the states at the path's end. */
export interface ChartMarks {
  readonly places: ReadonlyMap<string, readonly number[]>
  /** Paths of the states that are active at the end, parents included. */
  readonly active: ReadonlySet<string>
}

/** Returns the path of the parent state; empty for a child of the root. */
export function parentOf(path: string): string {
  return path.split('.').slice(0, -1).join('.')
}

/** Returns the last key of a path. */
export function lastOf(path: string): string {
  return path.split('.').at(-1) ?? path
}

/** Returns the target states of a transition; none if it only runs actions. */
export function targetsOf({ to }: Pick<ChartArrow, 'to'>): readonly string[] {
  return to === null ? [] : to.split(', ')
}
