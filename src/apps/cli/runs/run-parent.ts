import type { Json } from '../../../index.ts'
import type { LogEntry } from '../../../ports.ts'

/** The run that a stored run continues, as recorded in its input. */
export interface RunParent {
  readonly parentRunId: string
  /** The number of log entries from that run's transcript. */
  readonly carried: number
}

/** Returns the run that a stored run continues, from its input, or undefined if it continues none. */
export function parentIn(input: Json): RunParent | undefined {
  if (typeof input !== 'object' || input === null || !('parentRunId' in input) || !('continuation' in input)) {
    return undefined
  }
  const { parentRunId, carried } = input
  return typeof parentRunId === 'string'
    ? { parentRunId, carried: typeof carried === 'number' ? carried : 0 }
    : undefined
}

/** Returns the log entries that the run itself has written. */
export function ownLog(log: readonly LogEntry[], input: Json): readonly LogEntry[] {
  const { carried = 0 } = parentIn(input) ?? {}
  return log.filter(({ seq }) => seq > carried)
}
