import { type Hop, hopsByVertex, type Vertex } from './level.ts'

/** The number of times that all layers are sorted. */
const sweeps = 12

/** Sorts the vertices of each layer by their neighbours, so that few lines cross. Sorts in place. */
export function orderLayers(layers: Vertex[][], hops: readonly Hop[]): void {
  const hopsOf = hopsByVertex(hops)
  const between = [...Map.groupBy(hops, ({ upper }) => upper.layer).values()]
  let best = layers.map((layer) => [...layer])
  let fewest = crossings(layers, between)
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0
    for (const layer of isDown ? layers : layers.toReversed())
      sortLayer(layer, { places: placesIn(layers), hopsOf, isDown })
    const found = crossings(layers, between)
    if (found < fewest) [best, fewest] = [layers.map((layer) => [...layer]), found]
  }
  for (const [index, layer] of best.entries()) layers[index] = layer
}

interface Sorting {
  readonly places: ReadonlyMap<Vertex, number>
  readonly hopsOf: (vertex: Vertex) => readonly Hop[]
  readonly isDown: boolean
}

function sortLayer(layer: Vertex[], { places, hopsOf, isDown }: Sorting): void {
  const means = new Map(
    layer.map((vertex) => {
      const others = hopsOf(vertex).flatMap(({ upper, lower }) =>
        isDown ? (lower === vertex ? [upper] : []) : upper === vertex ? [lower] : [],
      )
      const own = places.get(vertex) ?? 0
      const sum = others.reduce((total, other) => total + (places.get(other) ?? 0), 0)
      return [vertex, others.length === 0 ? own : sum / others.length]
    }),
  )
  layer.sort((one, other) => (means.get(one) ?? 0) - (means.get(other) ?? 0))
}

/** Counts the crossings among the hops, which are given by their layers. */
function crossings(layers: readonly Vertex[][], between: readonly (readonly Hop[])[]): number {
  const places = placesIn(layers)
  const at = (vertex: Vertex) => places.get(vertex) ?? 0
  let count = 0
  for (const hops of between) {
    for (const [index, one] of hops.entries()) {
      for (const other of hops.slice(index + 1))
        count += Number((at(one.upper) - at(other.upper)) * (at(one.lower) - at(other.lower)) < 0)
    }
  }
  return count
}

/** The place of each vertex in its layer, from 0 to 1, so that layers of different lengths compare. */
function placesIn(layers: readonly Vertex[][]): ReadonlyMap<Vertex, number> {
  return new Map(layers.flatMap((layer) => layer.map((vertex, index) => [vertex, (index + 0.5) / layer.length])))
}
