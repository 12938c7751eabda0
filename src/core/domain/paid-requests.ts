import { isRecord } from './text/json.ts'
import type { StoredSelection } from './branch-group.ts'
import type { LogEntry } from './log.ts'
import type { AssistantMessage } from './message.ts'

/**
 * The usage and cost of a request without an answer in the transcript: a summary, or a refused answer. The model is
 * `provider/model`.
 */
export type PaidRequest = Pick<AssistantMessage, 'model' | 'usage' | 'cost' | 'executionUnits'>

type Placed = PaidRequest & { readonly place: number }

/** Returns the summaries in these entries, each with its place. */
export function summariesIn(log: readonly LogEntry[]): readonly Placed[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'compaction' || !isRecord(entry.value)) return []
    const summary = entry.value['summary'] as PaidRequest | undefined
    return summary === undefined ? [] : [{ ...summary, place: entry.seq }]
  })
}

/** Returns the refused answers in these entries, each with its place. */
export function refusalsIn(log: readonly LogEntry[]): readonly Placed[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'refusal') return []
    return [{ ...(entry.value as unknown as PaidRequest), place: entry.seq }]
  })
}

/** Returns the evaluations of groups of branches in these entries, each with its place. */
export function evaluationsIn(log: readonly LogEntry[]): readonly Omit<Placed, 'model'>[] {
  return log.flatMap((entry) => {
    if (entry.kind !== 'value' || entry.name !== 'selection') return []
    const { usage, cost } = entry.value as unknown as StoredSelection
    return [{ usage, cost, place: entry.seq }]
  })
}
