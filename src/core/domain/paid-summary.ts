import { isRecord } from './text/json.ts'
import type { LogEntry } from './log.ts'
import type { Usage } from './usage.ts'

/** What a summary has cost that a model was asked for. */
export interface PaidSummary {
  /** `provider/model`. */
  readonly model: string
  readonly usage: Usage
  /** US dollars; absent where the model has no price. */
  readonly cost?: number
}

/** The summaries that these entries tell of, each with its place. */
export function summariesIn(log: readonly LogEntry[]): readonly (PaidSummary & { readonly place: number })[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'compaction' || !isRecord(entry.value)) return []
    const summary = entry.value['summary'] as PaidSummary | undefined
    return summary === undefined ? [] : [{ ...summary, place: entry.seq }]
  })
}
