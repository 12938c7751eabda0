import { type Hop, hopsByVertex, type Vertex } from './level.ts'

/** The number of times that all layers are placed, and the hops that are looked at for it. */
const most = { sweeps: 60, hops: 250_000 }

const gaps = { boxes: 22, bends: 8 }

/**
 * Places the vertices of ordered layers horizontally: each as near as possible to its neighbours, and long lines
 * straight.
 */
export function placeAcross(layers: readonly (readonly Vertex[])[], hops: readonly Hop[]): void {
  for (const layer of layers) for (const [index, vertex] of layer.entries()) vertex.place = index
  for (const end of ['upper', 'lower'] as const) setOffsets(hops, end)
  const hopsOf = hopsByVertex(hops)
  for (const layer of layers) spread(layer, () => ({ wanted: 0, weight: 1 }))
  const sweeps = Math.max(2, Math.min(most.sweeps, Math.floor(most.hops / (hops.length + 1))))
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isLast = sweep > sweeps / 5
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      spread(layer, (vertex) => {
        let [sum, weight] = [0, 0]
        for (const hop of hopsOf(vertex)) {
          const isUpper = hop.upper === vertex
          if (!isLast && isUpper === (sweep % 2 === 0)) continue
          const other = isUpper ? hop.lower : hop.upper
          // Two bends of one line are kept below each other.
          const heft = other.line !== undefined && vertex.line !== undefined ? 8 : vertex.line === undefined ? 1 : 3
          sum +=
            heft * (isUpper ? acrossOf(hop, 'lower') - hop.offsets.upper : acrossOf(hop, 'upper') - hop.offsets.lower)
          weight += heft
        }
        return weight === 0 ? { wanted: vertex.x, weight: 0.1 } : { wanted: sum / weight, weight }
      })
    }
  }
  for (let sweep = 0; sweep < sweeps / 10; sweep++) straighten(layers, hops)
}

/** Returns the horizontal position at which a hop leaves its upper vertex or reaches its lower one. */
export function acrossOf(hop: Hop, end: 'upper' | 'lower'): number {
  return hop[end].x + hop.offsets[end]
}

/** Moves a bend below or above the one before it, where there is room. */
function straighten(layers: readonly (readonly Vertex[])[], hops: readonly Hop[]): void {
  const room = 6
  for (const hop of [...hops, ...hops.toReversed()]) {
    for (const [own, end] of [
      ['lower', 'upper'],
      ['upper', 'lower'],
    ] as const) {
      const vertex = hop[own]
      const wanted = acrossOf(hop, end) - hop.offsets[own]
      if (vertex.line === undefined || Math.abs(wanted - vertex.x) > 24) continue
      const layer = layers[vertex.layer] ?? []
      const [left, right] = [layer[vertex.place - 1], layer[vertex.place + 1]]
      if (left !== undefined && wanted < left.x + left.width + room) continue
      if (right !== undefined && wanted + vertex.width + room > right.x) continue
      vertex.x = wanted
    }
  }
}

/** Places a layer in its order, with the least squares of the distances to where its vertices want to be. */
function spread(layer: readonly Vertex[], wish: (vertex: Vertex) => { wanted: number; weight: number }): void {
  const blocks: { sum: number; weight: number; readonly members: [Vertex, number][] }[] = []
  let before = 0
  for (const [index, vertex] of layer.entries()) {
    const last = layer[index - 1]
    if (last !== undefined) {
      before += last.width + (last.line === undefined && vertex.line === undefined ? gaps.boxes : gaps.bends)
    }
    const { wanted, weight } = wish(vertex)
    let block = { sum: (wanted - before) * weight, weight, members: [[vertex, before] as [Vertex, number]] }
    for (
      let other = blocks.at(-1);
      other !== undefined && other.sum / other.weight >= block.sum / block.weight;
      other = blocks.at(-1)
    ) {
      blocks.pop()
      block = {
        sum: other.sum + block.sum,
        weight: other.weight + block.weight,
        members: [...other.members, ...block.members],
      }
    }
    blocks.push(block)
  }
  for (const { sum, weight, members } of blocks)
    for (const [vertex, at] of members) vertex.x = Math.round(sum / weight + at)
}

/** The lines of a box leave it evenly spread, in the order of where they lead. */
function setOffsets(hops: readonly Hop[], end: 'upper' | 'lower'): void {
  const other = end === 'upper' ? 'lower' : 'upper'
  for (const [vertex, own] of Map.groupBy(hops, (hop) => hop[end])) {
    const sorted = own.toSorted((one, two) => one[other].place - two[other].place)
    for (const [index, { line, offsets }] of sorted.entries()) {
      const even = vertex.line === undefined ? (vertex.width * (index + 1)) / (sorted.length + 1) : 4
      offsets[end] = vertex.exits?.get(line) ?? even
    }
  }
}
