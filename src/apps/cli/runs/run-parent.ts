import type { Json } from '../../../index.ts'
import type { LogEntry } from '../../../ports.ts'

/** The run that a stored run goes on from, as it was told when it was stored. */
export interface RunParent {
  readonly parentRunId: string
  /** Entries its log was begun with: the transcript of that run. */
  readonly carried: number
}

/** Reads of the input a run is stored with which run it goes on from; undefined where it goes on from none. */
export function parentIn(input: Json): RunParent | undefined {
  if (typeof input !== 'object' || input === null || !('parentRunId' in input) || !('continuation' in input)) {
    return undefined
  }
  const { parentRunId, carried } = input
  return typeof parentRunId === 'string'
    ? { parentRunId, carried: typeof carried === 'number' ? carried : 0 }
    : undefined
}

/** Entries of a log that the run has written itself. */
export function ownLog(log: readonly LogEntry[], input: Json): readonly LogEntry[] {
  const { carried = 0 } = parentIn(input) ?? {}
  return log.filter(({ seq }) => seq > carried)
}
