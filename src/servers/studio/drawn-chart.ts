/** A chart with the positions of all its parts, as the page draws it. */
export interface DrawnChart {
  readonly name: string
  readonly description: string
  /** The compound that is drawn alone; empty for the overview. */
  readonly inside: string
  readonly width: number
  readonly height: number
  /** Parents before their children. */
  readonly states: readonly DrawnState[]
  readonly arrows: readonly DrawnArrow[]
  /** Transitions that are possible in every state, and those that lead out of the drawn part. */
  readonly notes: readonly string[]
}

/** A state and its box. */
export interface DrawnState {
  readonly path: string
  readonly name: string
  readonly kind: string
  readonly description: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly isInitial: boolean
  readonly isOuter: boolean
  /** True if it has states that are not drawn: it can be drawn separately. */
  readonly opens: boolean
}

/** A line from state to state. */
export interface DrawnArrow {
  readonly from: string
  readonly to: string
  /** Its lines. */
  readonly label: readonly string[]
  /** The labels of all its transitions. */
  readonly words: readonly string[]
  readonly points: readonly Spot[]
  /** The place of the label; absent without a label. */
  readonly labelAt?: Spot
}

/** A position: across and down. */
export type Spot = readonly [x: number, y: number]
