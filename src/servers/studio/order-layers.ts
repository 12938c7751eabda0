import type { Hop, Vertex } from './level.ts'

/** The number of times that all layers are sorted. */
const sweeps = 12

/** Sorts the vertices of each layer by their neighbours, so that few lines cross. Sorts in place. */
export function orderLayers(layers: Vertex[][], hops: readonly Hop[]): void {
  let best = layers.map((layer) => [...layer])
  let fewest = crossings(layers, hops)
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0
    for (const layer of isDown ? layers : layers.toReversed()) sortLayer(layer, layers, hops, isDown)
    const found = crossings(layers, hops)
    if (found < fewest) [best, fewest] = [layers.map((layer) => [...layer]), found]
  }
  for (const [index, layer] of best.entries()) layers[index] = layer
}

function sortLayer(layer: Vertex[], layers: readonly Vertex[][], hops: readonly Hop[], isDown: boolean): void {
  const places = placesIn(layers)
  const means = new Map(
    layer.map((vertex) => {
      const others = hops.flatMap(({ upper, lower }) =>
        isDown ? (lower === vertex ? [upper] : []) : upper === vertex ? [lower] : [],
      )
      const own = places.get(vertex) ?? 0
      const sum = others.reduce((total, other) => total + (places.get(other) ?? 0), 0)
      return [vertex, others.length === 0 ? own : sum / others.length]
    }),
  )
  layer.sort((one, other) => (means.get(one) ?? 0) - (means.get(other) ?? 0))
}

function crossings(layers: readonly Vertex[][], hops: readonly Hop[]): number {
  const places = placesIn(layers)
  const at = (vertex: Vertex) => places.get(vertex) ?? 0
  let count = 0
  for (const [index, one] of hops.entries()) {
    for (const other of hops.slice(index + 1)) {
      if (one.upper.layer !== other.upper.layer) continue
      count += Number((at(one.upper) - at(other.upper)) * (at(one.lower) - at(other.lower)) < 0)
    }
  }
  return count
}

/** The place of each vertex in its layer, from 0 to 1, so that layers of different lengths compare. */
function placesIn(layers: readonly Vertex[][]): ReadonlyMap<Vertex, number> {
  return new Map(layers.flatMap((layer) => layer.map((vertex, index) => [vertex, (index + 0.5) / layer.length])))
}
