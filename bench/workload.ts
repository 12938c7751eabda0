/** Measures one subject at one size and gives one figure, in the workload's unit. */
export type Measure = (size: number, place: Place) => Promise<number> | number

/** Where a measurement keeps its files. */
export interface Place {
  /** A path that no other measurement has. */
  freshFile(): string
}

/** One way to play a workload: each subject beside the floor, under the same conditions. */
export interface Variant {
  readonly name: string
  readonly sizes: readonly number[]
  /** `floor` is what the others are compared with. */
  readonly subjects: { readonly floor: Measure; readonly [subject: string]: Measure }
  /** How the floor of this variant does the work. Default: that of the workload. */
  readonly floor?: string
  /** False where another variant warms up the same code. Default true. */
  readonly warmsUp?: boolean
}

/** A benchmark; its subjects are measured in turns, so that a machine that drifts moves them together. */
export interface Workload {
  readonly name: string
  /** What a figure counts, for people. */
  readonly unit: string
  /** How the floor does the work, in one sentence that a reader can check. */
  readonly floor: string
  readonly rounds: number
  /** Which figure is the better one. Default `less`. */
  readonly better?: 'less' | 'more'
  /** Played this often at this size, first, so that what is measured is compiled. */
  readonly warmUp?: { readonly size: number; readonly times: number }
  readonly variants: readonly Variant[]
}
