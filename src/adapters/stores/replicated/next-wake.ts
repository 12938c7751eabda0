import type { ObjectStorage } from '../durable-object/object-storage.ts'
import { untilRetry } from '../../../core/stores/rows/failed-rows.ts'
import { changingKindsList } from '../sqlite/schema.ts'

const selectTables = "SELECT 1 FROM sqlite_schema WHERE name = 'runs'"

/**
 * The earliest time at which a run has something to do, or at which its lease ends and somebody has to look. A run that
 * waits and is held is looked at when its lease ends.
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

/** Returns the time of the next work in Unix milliseconds, or undefined if there is none. */
export function nextWake({ sql }: Pick<ObjectStorage, 'sql'>): number | undefined {
  if (sql.exec(selectTables).toArray().length === 0) return undefined
  const [row] = sql.exec(selectNext).toArray()
  return typeof row?.['at'] === 'number' ? row['at'] : undefined
}
