/** Pixels across and down. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** A box of one level, a place where a line leaves the level, or a bend of a line. */
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
  /** Left side. */
  x: number
}

/** A part of a line between two adjacent layers. */
export interface Hop {
  readonly line: number
  readonly upper: Vertex
  readonly lower: Vertex
}
