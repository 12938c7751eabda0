import { type Hop, hopsByVertex, type Vertex } from './level.ts'

/** The number of times that all layers are sorted, and the pairs of hops that are compared for it. */
const most = { sweeps: 12, pairs: 20_000_000 }

/** Sorts the vertices of each layer by their neighbours, so that few lines cross. Sorts in place. */
export function orderLayers(layers: Vertex[][], hops: readonly Hop[]): void {
  const hopsOf = hopsByVertex(hops)
  const between = [...Map.groupBy(hops, ({ upper }) => upper.layer).values()]
  const pairs = between.reduce((sum, { length }) => sum + (length * length) / 2, 1)
  const sweeps = Math.min(most.sweeps, Math.floor(most.pairs / pairs))
  layers.forEach(setPlaces)
  let best = layers.map((layer) => [...layer])
  let fewest = sweeps === 0 ? 0 : crossings(between)
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0
    for (const layer of isDown ? layers : layers.toReversed()) sortLayer(layer, hopsOf, isDown)
    const found = crossings(between)
    if (found < fewest) [best, fewest] = [layers.map((layer) => [...layer]), found]
  }
  for (const [index, layer] of best.entries()) layers[index] = layer
}

function sortLayer(layer: Vertex[], hopsOf: (vertex: Vertex) => readonly Hop[], isDown: boolean): void {
  const means = new Map(
    layer.map((vertex) => {
      let [sum, count] = [0, 0]
      for (const { upper, lower } of hopsOf(vertex)) {
        if ((isDown ? lower : upper) !== vertex) continue
        sum += (isDown ? upper : lower).place
        count++
      }
      return [vertex, count === 0 ? vertex.place : sum / count]
    }),
  )
  layer.sort((one, other) => (means.get(one) ?? 0) - (means.get(other) ?? 0))
  setPlaces(layer)
}

/** Counts the crossings among the hops, which are given by their layers. */
function crossings(between: readonly (readonly Hop[])[]): number {
  let count = 0
  for (const hops of between) {
    for (const [index, { upper, lower }] of hops.entries()) {
      for (let next = index + 1; next < hops.length; next++) {
        const other = hops[next]
        if (other !== undefined && (upper.place - other.upper.place) * (lower.place - other.lower.place) < 0) count++
      }
    }
  }
  return count
}

function setPlaces(layer: readonly Vertex[]): void {
  for (const [index, vertex] of layer.entries()) vertex.place = (index + 0.5) / layer.length
}
