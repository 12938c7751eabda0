import { type Chart, type ChartArrow, type ChartState, parentOf, targetsOf } from './chart.ts'

/** A line of text inside a state: one of its transitions. */
interface PlacedRow {
  readonly y: number
  /** The text, truncated if it is too long. */
  readonly text: string
  readonly whole: string
}

/** A state with its box. */
export interface PlacedState {
  readonly state: ChartState
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly isInitial: boolean
  /** The mark next to the state's name. */
  readonly places: string
  readonly rows: readonly PlacedRow[]
}

/** A point in a drawing. */
interface Point {
  readonly x: number
  readonly y: number
}

/** One line on the right side that connects a state with every transition that enters it. */
export interface Lane {
  readonly x: number
  /** The number of the lane's colour. */
  readonly tone: number
  readonly target: Point
  readonly stubs: readonly Point[]
}

/** A chart with the positions of all its parts. */
interface Layout {
  readonly states: readonly PlacedState[]
  readonly lanes: readonly Lane[]
  readonly width: number
  readonly height: number
}

const sizes = { top: 40, left: 16, indent: 16, header: 28, row: 17, gap: 8, lane: 9, character: 6.7, longest: 92 }

const tones = 6

/**
 * Lays out the states of a chart below each other, children inside parents, with a lane for each entered state.
 * `placesOf` returns the mark next to a state's name.
 */
export function layOut({ states }: Chart, placesOf: (path: string) => string): Layout {
  const inner = Math.ceil(widest(states, placesOf))
  const placed: PlacedState[] = []
  const place = (state: ChartState, depth: number, top: number): number => {
    const x = sizes.left + Math.max(0, depth - 1) * sizes.indent
    const width = inner - 2 * (x - sizes.left)
    const parent = states.find(({ path }) => path === parentOf(state.path))
    const rows = state.arrows.map((arrow, index) => ({
      y: top + sizes.header + index * sizes.row + sizes.row / 2,
      ...textsOf(arrow),
    }))
    const index = placed.length
    const isRoot = state.path === ''
    const isInitial = !isRoot && (parent?.initial ?? '').split(', ').some((path) => isIn(path, state.path))
    let y = isRoot && rows.length === 0 ? top : top + sizes.header + rows.length * sizes.row
    for (const child of states.filter(({ path }) => path !== '' && parentOf(path) === state.path))
      y = place(child, depth + 1, y + sizes.gap)
    const bottom = y + sizes.gap
    placed.splice(index, 0, {
      state,
      x,
      y: top,
      width,
      height: bottom - top,
      isInitial,
      places: placesOf(state.path),
      rows,
    })
    return bottom
  }
  const [root] = states
  const height = root === undefined ? sizes.top : place(root, 0, sizes.top)
  const lanes = lanesOf(placed)
  const right = Math.max(sizes.left + inner, ...lanes.map(({ x }) => x))
  return { states: placed, lanes, width: Math.ceil(right + sizes.left), height: Math.ceil(height + sizes.left) }
}

function isIn(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`)
}

/** Returns the width of the outermost boxes, which fits the widest text with its surrounding boxes. */
function widest(states: readonly ChartState[], placesOf: (path: string) => string): number {
  const widths = states.flatMap(({ path, arrows }) => {
    const depth = path === '' ? 0 : path.split('.').length
    const texts = [
      `${path.split('.').at(-1)} (parallel)  ${placesOf(path)}`,
      ...arrows.map((arrow) => textsOf(arrow).text),
    ]
    return texts.map((text) => text.length * sizes.character + 40 + 2 * depth * sizes.indent)
  })
  return Math.max(240, ...widths)
}

function textsOf({ event, guard, to }: ChartArrow): Pick<PlacedRow, 'text' | 'whole'> {
  const condition = guard === '' ? '' : ` [${guard}]`
  const end = to === null ? ', stays' : ` → ${to}`
  const whole = `${event}${condition}${end}`
  if (whole.length <= sizes.longest) return { text: whole, whole }
  const room = Math.max(0, sizes.longest - event.length - end.length - 4)
  const text = `${event}${room > 8 ? ` [${guard.slice(0, room)}…]` : ' […]'}${end}`
  return { text: text.length <= sizes.longest ? text : `${text.slice(0, sizes.longest - 1)}…`, whole }
}

/** Places short lanes next to the states; two lanes share a column if they do not overlap. */
function lanesOf(placed: readonly PlacedState[]): readonly Lane[] {
  const byPath = new Map(placed.map((one) => [one.state.path, one]))
  const ends = new Map<PlacedState, Point[]>()
  for (const one of placed) {
    for (const [index, arrow] of one.state.arrows.entries()) {
      for (const path of targetsOf(arrow)) {
        const target = byPath.get(path)
        const y = one.rows[index]?.y
        if (target === undefined || target === one || y === undefined) continue
        ends.set(target, [...(ends.get(target) ?? []), { x: one.x + one.width, y }])
      }
    }
  }
  const spans = [...ends].map(([target, stubs]) => {
    const point = { x: target.x + target.width, y: target.y + 14 }
    const ys = [point.y, ...stubs.map(({ y }) => y)]
    return { target: point, stubs, from: Math.min(...ys), to: Math.max(...ys) }
  })
  const outer = Math.max(0, ...placed.map(({ x, width }) => x + width)) + 20
  const columns: { readonly from: number; readonly to: number }[][] = []
  return spans
    .toSorted((left, right) => left.to - left.from - (right.to - right.from))
    .map(({ target, stubs, from, to }, index): Lane => {
      const free = columns.findIndex((taken) => taken.every((other) => other.to + 4 < from || to + 4 < other.from))
      const column = free < 0 ? columns.push([]) - 1 : free
      columns[column]?.push({ from, to })
      return { x: outer + column * sizes.lane, tone: index % tones, target, stubs }
    })
}
