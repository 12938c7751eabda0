import type { Hop, Size, Vertex } from './level.ts'
import { orderLayers } from './order-layers.ts'
import { acrossOf, placeAcross } from './place-across.ts'
import type { Spot } from './drawn-chart.ts'

/** A line within one level, drawn downwards from one vertex to another. */
export interface LevelLine {
  readonly line: number
  readonly upper: Vertex
  readonly lower: Vertex
  readonly label: Size | undefined
  /** True if the arrow points upwards: the label is then placed near the lower end. */
  readonly isUp: boolean
}

/** Sizes in pixels. */
const sizes = { layerGap: 12, track: 9, bend: 10 }

/** The maximum boxes side by side. */
const mostAbreast = 3

/** A level with the positions of all its parts. */
export interface LaidLevel {
  readonly width: number
  readonly height: number
  readonly tops: ReadonlyMap<Vertex, number>
  readonly pieces: readonly { readonly line: number; readonly points: readonly Spot[] }[]
  readonly labels: readonly { readonly line: number; readonly at: Spot }[]
}

/**
 * Arranges the boxes of one level in layers, from top to bottom. Lines lead from earlier vertices to later ones; every
 * box is at least one layer below those that lead to it. Lines pass other layers as bends, and one bend has the label.
 */
export function layLevel(vertices: readonly Vertex[], lines: readonly LevelLine[]): LaidLevel {
  assignLayers(vertices, lines)
  const { layers, hops, labelled } = splitLines(vertices, lines)
  orderLayers(layers, hops)
  placeAcross(layers, hops)
  const all = layers.flat()
  const left = Math.min(0, ...all.map(({ x }) => x))
  for (const vertex of all) vertex.x -= left
  const tops = new Map<Vertex, number>()
  const pieces: { line: number; points: readonly Spot[] }[] = []
  const hopsBelow = Map.groupBy(hops, ({ upper }) => upper.layer)
  let y = 0
  for (const [index, layer] of layers.entries()) {
    const height = Math.max(0, ...layer.map((vertex) => vertex.height))
    for (const vertex of layer) tops.set(vertex, y + (height - vertex.height) / 2)
    const below = hopsBelow.get(index) ?? []
    const tracks = tracksOf(below)
    const last = y + height
    const gap =
      layer.length === 0 || index === layers.length - 1 ? 0 : sizes.layerGap + Math.max(...tracks, 0) * sizes.track
    for (const [place, hop] of below.entries()) {
      const [from, to] = [Math.round(acrossOf(hop, 'upper')), Math.round(acrossOf(hop, 'lower'))]
      const start = hop.upper.line === undefined ? (tops.get(hop.upper) ?? y) + hop.upper.height : y
      const turn = last + 2 + (tracks[place] ?? 0) * sizes.track
      const end = last + gap
      const way: readonly Spot[] =
        from === to
          ? []
          : [
              [from, turn],
              [to, turn],
            ]
      pieces.push({ line: hop.line, points: [[from, start], ...way, [to, end + restOf(hop.lower, layers)]] })
    }
    y = last + gap
  }
  const labels = [...labelled].map(([line, bend]) => {
    return { line, at: [bend.x + sizes.bend, tops.get(bend) ?? 0] as const }
  })
  const width = Math.max(0, ...all.map((vertex) => vertex.x + vertex.width))
  return { width, height: y, tops, pieces, labels }
}

/** The space between the top of a layer and the top of a lower box in it. */
function restOf(lower: Vertex, layers: readonly (readonly Vertex[])[]): number {
  const height = Math.max(0, ...(layers[lower.layer] ?? []).map((vertex) => vertex.height))
  return lower.line === undefined ? (height - lower.height) / 2 : 0
}

/** Boxes are in even layers; bends are between them, too. */
function assignLayers(vertices: readonly Vertex[], lines: readonly LevelLine[]): void {
  const first = vertices.some(({ port }) => port === 'top') ? 2 : 0
  const abreast = new Map<number, number>()
  for (const vertex of vertices) {
    const above = lines.filter(({ lower }) => lower === vertex).map(({ upper }) => upper.layer + 2)
    vertex.layer = vertex.port === 'top' ? 0 : Math.max(first, ...above)
    if (vertex.port !== undefined) continue
    while ((abreast.get(vertex.layer) ?? 0) >= mostAbreast) vertex.layer += 2
    abreast.set(vertex.layer, (abreast.get(vertex.layer) ?? 0) + 1)
  }
  const last = Math.max(0, ...vertices.filter(({ port }) => port === undefined).map(({ layer }) => layer)) + 2
  for (const vertex of vertices) if (vertex.port === 'bottom') vertex.layer = last
}

function splitLines(vertices: readonly Vertex[], lines: readonly LevelLine[]) {
  const count = Math.max(0, ...vertices.map(({ layer }) => layer)) + 1
  const layers: Vertex[][] = Array.from({ length: count }, (_, layer) => vertices.filter((one) => one.layer === layer))
  const hops: Hop[] = []
  const labelled = new Map<number, Vertex>()
  for (const { line, upper, lower, label, isUp } of lines) {
    let from = upper
    for (let layer = upper.layer + 1; layer < lower.layer; layer++) {
      const isLabel = label !== undefined && label.height > 0 && layer === (isUp ? lower.layer - 1 : upper.layer + 1)
      const size = isLabel
        ? { width: sizes.bend + label.width, height: label.height }
        : { width: sizes.bend, height: 0 }
      const bend: Vertex = { ...size, line, layer, place: 0, x: 0 }
      if (isLabel) labelled.set(line, bend)
      layers[layer]?.push(bend)
      hops.push({ line, upper: from, lower: bend, offsets: { upper: 0, lower: 0 } })
      from = bend
    }
    hops.push({ line, upper: from, lower, offsets: { upper: 0, lower: 0 } })
  }
  return { layers, hops, labelled }
}

/** Gives each hop between two layers a track of its own where it would meet another; 0 if it leads straight down. */
function tracksOf(hops: readonly Hop[]): readonly number[] {
  const ways = hops.map((hop, place) => ({
    place,
    from: Math.round(acrossOf(hop, 'upper')),
    to: Math.round(acrossOf(hop, 'lower')),
  }))
  const tracks = hops.map(() => 0)
  const placed: typeof ways = []
  // Lines from the right that lead to the right turn first, and so do short lines to the left.
  const turning = ways.filter(({ from, to }) => from !== to).toSorted((one, other) => keyOf(one) - keyOf(other))
  for (const way of turning) {
    const above = placed.filter((other) => meet(way, other)).map(({ place }) => tracks[place] ?? 0)
    let track = 1
    while (above.includes(track)) track++
    // A way down must not run over another that turns to the same place further up.
    for (const other of placed)
      if (Math.abs(other.to - way.from) < 6) track = Math.max(track, (tracks[other.place] ?? 0) + 1)
    tracks[way.place] = track
    placed.push(way)
  }
  return tracks
}

interface Way {
  readonly from: number
  readonly to: number
}

function keyOf({ from, to }: Way): number {
  return to > from ? -from : from
}

function meet(one: Way, other: Way): boolean {
  const near = 5
  return (
    Math.min(one.from, one.to) - near < Math.max(other.from, other.to) &&
    Math.min(other.from, other.to) - near < Math.max(one.from, one.to)
  )
}
