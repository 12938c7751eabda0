import type { EmittingEntry } from '../domain/log.ts'

/** The log of a run, read for its events. */
export interface EventRows {
  /**
   * The entries that the run itself wrote after number `after`, in order and at most `limit` of them: fewer if they are
   * long, but one if there is one. The numbers of entries are gapless. `eventOf` returns the event of an entry.
   */
  entries(runId: string, after: number, limit: number): Promise<readonly EmittingEntry[]>
}
