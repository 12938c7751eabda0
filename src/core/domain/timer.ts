/** The input of a chart's timer. */
export interface SleepInput {
  /** Unix milliseconds; null never fires. */
  readonly due: number | null
}

/** The longest delay of a platform's timer, in milliseconds; for a longer one it fires at once. */
export const longestTimerMs = 2 ** 31 - 1
