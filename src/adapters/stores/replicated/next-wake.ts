import type { ObjectStorage } from '../durable-object/object-storage.ts'
import { untilRetry } from '../../../core/stores/rows/failed-rows.ts'
import { changingKindsList } from '../sqlite/schema.ts'

const selectTables = "SELECT 1 FROM sqlite_schema WHERE name = 'runs'"

/**
 * The earliest time at which a run has work, or at which its lease ends and must be checked. A waiting run with a lease
 * is checked when its lease ends.
 */
const selectNext = `
  SELECT min(at) AS at FROM (
    SELECT min(lease_expires) AS at FROM runs
      WHERE status <> 'done' AND owner IS NOT NULL OR status = 'running' AND lease_expires < ${untilRetry}
    UNION ALL
    SELECT min(max(inbox.at, lease_expires)) FROM inbox CROSS JOIN runs ON runs.id = inbox.run_id
      WHERE consumed IS NULL AND kind IN (${changingKindsList}) AND status = 'waiting' AND lease_expires < ${untilRetry}
    UNION ALL
    SELECT min(max(due, lease_expires)) FROM timers CROSS JOIN runs ON runs.id = timers.run_id
      WHERE status = 'waiting' AND lease_expires < ${untilRetry}
  )`

/** Returns the time of the next work in Unix milliseconds, or undefined without work. */
export function nextWake({ sql }: Pick<ObjectStorage, 'sql'>): number | undefined {
  if (sql.exec(selectTables).toArray().length === 0) return undefined
  const [row] = sql.exec(selectNext).toArray()
  return typeof row?.['at'] === 'number' ? row['at'] : undefined
}
