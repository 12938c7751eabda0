import { isRecord } from './text/json.ts'
import type { LogEntry } from './log.ts'
import type { Usage } from './usage.ts'

/** What a request has cost that left no answer in the transcript: a summary, or an answer that a plugin refused. */
export interface PaidRequest {
  /** `provider/model`. */
  readonly model: string
  readonly usage: Usage
  /** US dollars; absent where the model has no price. */
  readonly cost?: number
  /** In units of the adapter's own; absent where it has none. */
  readonly executionUnits?: number
}

type Placed = PaidRequest & { readonly place: number }

/** The summaries that these entries tell of, each with its place. */
export function summariesIn(log: readonly LogEntry[]): readonly Placed[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'compaction' || !isRecord(entry.value)) return []
    const summary = entry.value['summary'] as PaidRequest | undefined
    return summary === undefined ? [] : [{ ...summary, place: entry.seq }]
  })
}

/** The refused answers that these entries tell of, each with its place. */
export function refusalsIn(log: readonly LogEntry[]): readonly Placed[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'refusal') return []
    return [{ ...(entry.value as unknown as PaidRequest), place: entry.seq }]
  })
}
