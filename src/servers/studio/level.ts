/** A size in pixels: width and height. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A box of one level, a point at which a line leaves the level, or a bend of a line. */
export interface Vertex {
  readonly width: number
  readonly height: number
  /** The line that passes here, for anything but a box. */
  readonly line?: number
  /** For a place where a line leaves the level: its first or its last layer. */
  readonly port?: 'top' | 'bottom'
  /** The distance from the left side of a compound box at which each line leaves it. */
  readonly exits?: ReadonlyMap<number, number>
  layer: number
  /** The place in its layer, from 0 to 1, so that layers of different lengths compare. */
  place: number
  /** Left side. */
  x: number
}

/** A part of a line between two adjacent layers. */
export interface Hop {
  readonly line: number
  readonly upper: Vertex
  readonly lower: Vertex
  /** The distances from the left sides of both vertices. */
  readonly offsets: { upper: number; lower: number }
}

/** Returns a function that returns the hops at a vertex in order, without searching all others. */
export function hopsByVertex(hops: readonly Hop[]): (vertex: Vertex) => readonly Hop[] {
  const found = new Map<Vertex, Hop[]>()
  for (const hop of hops) {
    for (const end of [hop.upper, hop.lower]) {
      const own = found.get(end)
      if (own === undefined) found.set(end, [hop])
      else own.push(hop)
    }
  }
  return (vertex) => found.get(vertex) ?? []
}
