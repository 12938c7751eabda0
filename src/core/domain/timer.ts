/** The input of a chart's timer. */
export interface SleepInput {
  /** Unix milliseconds; null never fires. */
  readonly due: number | null
}
