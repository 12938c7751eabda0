/** Which figures a limit allows: at most the limit (the default), or at least the limit. */
export type Bound = 'most' | 'least'

/** A limit, and the figure that it was set by. */
export interface SetLimit {
  readonly limit: number
  /** The figure that was measured when the limit was set. */
  readonly measured: number
  readonly bound?: Bound | undefined
  /** True for counts and bytes, which each machine measures alike; false for times and their ratios. */
  readonly isCount: boolean
}

/** Times may be half as long again: two shared cores tell a ratio otherwise by a third from day to day. Counts may be a tenth higher. */
const mostSlack = { time: 1.5, count: 1.1 }

/** Returns how far a figure is from its aim, as `short of its aim by 1.6 ×`; an empty text if it has reached the aim or has none. */
export function aimText(value: number, asked: number | undefined, bound: Bound = 'most'): string {
  if (asked === undefined) return ''
  const factor = bound === 'most' ? value / asked : asked / value
  return factor > 1 ? `short of its aim by ${factorText(factor)}` : ''
}

/** Returns what is wrong with a limit; undefined if it leaves some slack and not too much. */
export function limitProblem({ limit, measured, bound = 'most', isCount }: SetLimit): string | undefined {
  const slack = bound === 'most' ? limit / measured : measured / limit
  const most = isCount ? mostSlack.count : mostSlack.time
  if (!(slack <= most)) return `leaves ${factorText(slack)} of what was measured; at most ${most} × is slack`
  const isEqual = limit === measured || (limit >= 100 && Math.round(limit) === Math.round(measured))
  return isCount && isEqual ? 'equals what was measured, so that the next byte or call breaks it' : undefined
}

/** A limit of a table, which may name the figure that it was set by. */
export interface LimitRow extends Omit<SetLimit, 'measured'> {
  readonly name: string
  readonly measured?: number | undefined
}

/** Returns what is wrong with the limits that name the figures they were set by. */
export function limitProblems(rows: readonly LimitRow[]): readonly string[] {
  return rows.flatMap(({ name, measured, ...limit }) => {
    const problem = measured === undefined ? undefined : limitProblem({ ...limit, measured })
    return problem === undefined ? [] : [`${name} ${problem}`]
  })
}

/** A figure that was held against its limit. */
export interface HeldFigure extends Omit<SetLimit, 'measured'> {
  readonly value: number
  readonly asked?: number | undefined
  readonly holds: boolean
}

/** Returns the facts that a line about a limit ends with: how far its aim is, and what is wrong with a limit that holds. */
export function factsOf({ value, asked, holds, ...limit }: HeldFigure): readonly string[] {
  const short = aimText(value, asked, limit.bound)
  const problem = holds ? limitProblem({ ...limit, measured: value }) : undefined
  return [...(short === '' ? [] : [short]), ...(problem === undefined ? [] : [`the limit ${problem}`])]
}

function factorText(factor: number): string {
  return `${Number(factor.toPrecision(3))} ×`
}
