import type { Json } from '../../../index.ts'

/** The run that a stored run continues, as recorded in its input. */
export interface RunParent {
  readonly parentRunId: string
  /** The number of log entries from that run's transcript. */
  readonly carried: number
}

/** Returns the run that a stored run continues, from its input, or undefined if it continues none. */
export function parentIn(input: Json | undefined): RunParent | undefined {
  if (typeof input !== 'object' || input === null || !('parentRunId' in input) || !('continuation' in input)) {
    return undefined
  }
  const { parentRunId, carried } = input
  return typeof parentRunId === 'string'
    ? { parentRunId, carried: typeof carried === 'number' ? carried : 0 }
    : undefined
}
