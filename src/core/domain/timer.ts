/** What a timer of a chart is given. */
export interface SleepInput {
  /** Unix milliseconds; null never fires. */
  readonly due: number | null
}
