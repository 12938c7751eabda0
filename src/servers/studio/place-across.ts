import { type Hop, hopsByVertex, type Vertex } from './level.ts'

const sweeps = 60
const gaps = { boxes: 22, bends: 8 }

/**
 * Places the vertices of ordered layers across: each as near as possible to its neighbours, long lines straight. Returns
 * where a hop leaves its upper and reaches its lower vertex.
 */
export function placeAcross(layers: readonly (readonly Vertex[])[], hops: readonly Hop[]) {
  const offsets = { upper: offsetsOf(layers, hops, 'upper'), lower: offsetsOf(layers, hops, 'lower') }
  const hopsOf = hopsByVertex(hops)
  const offset = (hop: Hop, end: 'upper' | 'lower') => offsets[end].get(hop) ?? 0
  for (const layer of layers) spread(layer, () => ({ wanted: 0, weight: 1 }))
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isLast = sweep > 12
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      spread(layer, (vertex) => {
        let [sum, weight] = [0, 0]
        for (const hop of hopsOf(vertex)) {
          const isUpper = hop.upper === vertex
          if (!isLast && isUpper === (sweep % 2 === 0)) continue
          const [own, end] = isUpper ? (['upper', 'lower'] as const) : (['lower', 'upper'] as const)
          // Two bends of one line are kept below each other.
          const heft = hop[end].line !== undefined && vertex.line !== undefined ? 8 : vertex.line === undefined ? 1 : 3
          sum += heft * (hop[end].x + offset(hop, end) - offset(hop, own))
          weight += heft
        }
        return weight === 0 ? { wanted: vertex.x, weight: 0.1 } : { wanted: sum / weight, weight }
      })
    }
  }
  for (let sweep = 0; sweep < 6; sweep++) straighten(layers, hops, offset)
  return (hop: Hop, end: 'upper' | 'lower') => Math.round(hop[end].x + offset(hop, end))
}

/** Moves a bend below or above the one before it, where there is room. */
function straighten(
  layers: readonly (readonly Vertex[])[],
  hops: readonly Hop[],
  offset: (hop: Hop, end: 'upper' | 'lower') => number,
): void {
  const room = 6
  for (const hop of [...hops, ...hops.toReversed()]) {
    for (const [own, end] of [
      ['lower', 'upper'],
      ['upper', 'lower'],
    ] as const) {
      const vertex = hop[own]
      const layer = layers[vertex.layer] ?? []
      const [left, right] = [layer[layer.indexOf(vertex) - 1], layer[layer.indexOf(vertex) + 1]]
      const wanted = hop[end].x + offset(hop, end) - offset(hop, own)
      if (vertex.line === undefined || Math.abs(wanted - vertex.x) > 24) continue
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
function offsetsOf(layers: readonly (readonly Vertex[])[], hops: readonly Hop[], end: 'upper' | 'lower') {
  const other = end === 'upper' ? 'lower' : 'upper'
  const places = new Map(layers.flatMap((layer) => layer.map((vertex, index) => [vertex, index] as const)))
  const offsets = new Map<Hop, number>()
  for (const [vertex, own] of Map.groupBy(hops, (hop) => hop[end])) {
    const sorted = own.toSorted((one, two) => (places.get(one[other]) ?? 0) - (places.get(two[other]) ?? 0))
    for (const [index, hop] of sorted.entries()) {
      const even = vertex.line === undefined ? (vertex.width * (index + 1)) / (sorted.length + 1) : 4
      offsets.set(hop, vertex.exits?.get(hop.line) ?? even)
    }
  }
  return offsets
}
