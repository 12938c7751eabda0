import type { FoundRecords } from '../domain/records/found-records.ts'
import type { RecordChange } from '../domain/records/record-change.ts'
import type { RecordRead } from '../domain/records/record-read.ts'

/**
 * The part of a store that keeps records: rows of the kinds that `recordKinds` lists, whose rules are functions of the
 * domain. A store knows no kind by its name.
 */
export interface Records {
  /** Reads records by keys and indexes, and the standing of runs, all at one moment. */
  records(reads: readonly RecordRead[]): Promise<FoundRecords>
  /**
   * Makes a change in one transaction: reads what it asks for, has it judged, and stores what it writes. No other change of a
   * key that it read comes between. A change that writes nothing locks nothing.
   */
  change<Answer>(change: RecordChange<Answer>): Promise<Answer>
}
