import type { InboxTextRow, LeaseRow, LogRow, LogTail, FullRunRow } from '../rows/stored-rows.ts'

/** Everything the memory store keeps of one run; rows are replaced, never changed. */
export interface MemoryRun {
  row: FullRunRow
  lease: LeaseRow
  readonly log: LogRow[]
  readonly inbox: InboxTextRow[]
  timers: readonly { readonly key: string; readonly due: number }[]
}

/** The end of the run's log. */
export function tailOf({ log }: MemoryRun): LogTail {
  return {
    version: log.at(-1)?.version ?? 0,
    checkpoint: log.findLast((row) => row.kind === 'checkpoint')?.body ?? null,
  }
}

/** Adds an unconsumed row. */
export function addInboxRow(run: MemoryRun, row: Omit<InboxTextRow, 'consumed'>): void {
  const { id, kind, decisionId, callId, suspensionId, body, at } = row
  run.inbox.push({ id, kind, decisionId, callId, suspensionId, body, at, consumed: null })
}
