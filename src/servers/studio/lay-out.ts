import type { Spot } from './drawn-chart.ts'
import { layLevel, type LevelLine } from './lay-level.ts'
import type { Size, Vertex } from './level.ts'

/** A box with the boxes inside it. */
export interface Box {
  readonly id: string
  /** The least width. */
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
}

/** A line from box to box, at any depth. */
export interface Line {
  readonly from: string
  readonly to: string
  readonly label: Size
}

/** The positions of all boxes and lines. */
export interface LaidOut {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyMap<string, Rect>
  readonly lines: readonly { readonly points: readonly Spot[]; readonly labelAt?: Spot }[]
}

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const padding = { side: 14, top: 34, bottom: 14 }
const margin = 12

/** Arranges nested boxes from top to bottom, in the given order. */
export function layOut(boxes: readonly Box[], lines: readonly Line[]): LaidOut {
  const laid = layInside(boxes, lines, new Map())
  const { width, height } = laid
  const placed = new Map([...laid.rects].map(([id, rect]) => [id, { ...rect, x: rect.x + margin, y: rect.y + margin }]))
  return {
    width: width + 2 * margin,
    height: height + 2 * margin,
    boxes: placed,
    lines: lines.map(({ from, to }, line) => {
      const pieces = laid.pieces
        .filter((piece) => piece.line === line)
        .map(({ points }) => shifted(points, margin, margin))
      const points = pieces.toSorted((one, other) => (one[0]?.[1] ?? 0) - (other[0]?.[1] ?? 0)).flat()
      const isUp = (placed.get(from)?.y ?? 0) > (placed.get(to)?.y ?? 0)
      const label = laid.labels.find((one) => one.line === line)
      const labelAt = label && shifted([label.at], margin, margin)[0]
      return { points: straight(isUp ? points.toReversed() : points), ...(labelAt === undefined ? {} : { labelAt }) }
    }),
  }
}

interface Inside {
  readonly width: number
  readonly height: number
  readonly rects: ReadonlyMap<string, Rect>
  readonly pieces: readonly { readonly line: number; readonly points: readonly Spot[] }[]
  readonly labels: readonly { readonly line: number; readonly at: Spot }[]
  /** The horizontal positions at which lines leave the level. */
  readonly exits: ReadonlyMap<number, number>
}

type Side = 'top' | 'bottom'

/** Lays one level out, after the levels inside of its boxes. `leaving` are the lines that lead out of it, by their side. */
function layInside(boxes: readonly Box[], lines: readonly Line[], leaving: ReadonlyMap<number, Side>): Inside {
  const homeOf = (id: string) => boxes.findIndex((box) => box.id === id || id.startsWith(`${box.id}.`))
  const ends = lines.map(({ from, to }) => [homeOf(from), homeOf(to)] as const)
  const sideOf = (line: number, box: number): Side | undefined => {
    const [from, to] = ends[line] ?? [-1, -1]
    if (from === to || (from !== box && to !== box)) return undefined
    return from < 0 || to < 0 ? leaving.get(line) : box === Math.min(from, to) ? 'bottom' : 'top'
  }
  const inner = boxes.map(({ id, boxes: held }, box) => {
    const sides = lines.flatMap(({ from, to }, line) => {
      const side = from === id || to === id ? undefined : sideOf(line, box)
      return side === undefined ? [] : [[line, side] as const]
    })
    return held.length === 0 ? undefined : layInside(held, lines, new Map(sides))
  })
  const vertices: Vertex[] = boxes.map(({ width, height }, box) => {
    const held = inner[box]
    if (held === undefined) return { width, height, layer: 0, place: 0, x: 0 }
    const exits = new Map([...held.exits].map(([line, x]) => [line, x + padding.side]))
    const size = {
      width: Math.max(width, held.width + 2 * padding.side),
      height: held.height + padding.top + padding.bottom,
    }
    return { ...size, exits, layer: 0, place: 0, x: 0 }
  })
  const ports = new Map<number, Vertex>()
  for (const [line, port] of leaving) ports.set(line, { width: 10, height: 0, line, port, layer: 0, place: 0, x: 0 })
  const levelLines = ends.flatMap(([from, to], line): readonly LevelLine[] => {
    if (from === to) return []
    const port = ports.get(line)
    const [upper, lower] =
      port === undefined
        ? [vertices[Math.min(from, to)], vertices[Math.max(from, to)]]
        : port.port === 'top'
          ? [port, vertices[Math.max(from, to)]]
          : [vertices[Math.max(from, to)], port]
    if (upper === undefined || lower === undefined || Math.max(from, to) < 0) return []
    if (port === undefined && Math.min(from, to) < 0) return []
    const label = port === undefined ? lines[line]?.label : undefined
    return [{ line, upper, lower, label, isUp: from > to }]
  })
  const tops = [...ports.values()].filter(({ port }) => port === 'top')
  const bottoms = [...ports.values()].filter(({ port }) => port === 'bottom')
  const laid = layLevel([...tops, ...vertices, ...bottoms], levelLines)
  const rects = new Map<string, Rect>()
  const [pieces, labels] = [[...laid.pieces], [...laid.labels]]
  for (const [index, vertex] of vertices.entries()) {
    const [x, y] = [vertex.x, laid.tops.get(vertex) ?? 0]
    rects.set(boxes[index]?.id ?? '', { x, y, width: vertex.width, height: vertex.height })
    const held = inner[index]
    if (held === undefined) continue
    const [across, down] = [x + padding.side, y + padding.top]
    for (const [id, rect] of held.rects) rects.set(id, { ...rect, x: rect.x + across, y: rect.y + down })
    for (const { line, points } of held.pieces) {
      pieces.push({
        line,
        points: toBorder(shifted(points, across, down), sideOf(line, index), y, y + vertex.height, held.height + down),
      })
    }
    for (const { line, at } of held.labels) labels.push({ line, at: [at[0] + across, at[1] + down] })
  }
  const exits = new Map([...ports].map(([line, port]) => [line, port.x + 4]))
  return { width: laid.width, height: laid.height, rects, pieces, labels, exits }
}

/** Leads a piece that ends at the edge of a level on to the border of the box around it. */
function toBorder(
  points: readonly Spot[],
  side: Side | undefined,
  top: number,
  bottom: number,
  end: number,
): readonly Spot[] {
  const [first, last] = [points[0], points.at(-1)]
  if (side === 'top' && first !== undefined && first[1] <= top + padding.top) return [[first[0], top], ...points]
  if (side === 'bottom' && last !== undefined && last[1] >= end) return [...points, [last[0], bottom]]
  return points
}

function shifted(points: readonly Spot[], x: number, y: number): readonly Spot[] {
  return points.map(([across, down]) => [across + x, down + y])
}

/** Leaves out the points between which a line does not turn. */
function straight(points: readonly Spot[]): readonly Spot[] {
  const apart = points.filter(([x, y], index) => x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1])
  return apart.filter(([x, y], index) => {
    const [before, after] = [apart[index - 1], apart[index + 1]]
    if (before === undefined || after === undefined) return true
    return !((before[0] === x && after[0] === x) || (before[1] === y && after[1] === y))
  })
}
