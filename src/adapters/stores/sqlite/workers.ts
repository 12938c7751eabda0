import type { WorkerBeat, WorkerRecord } from '../../../core/domain/worker-record.ts'
import { longestSilenceMs } from '../../../core/stores/rows/failed-rows.ts'
import { number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import type { Session } from './session.ts'

const insert = `
  INSERT OR REPLACE INTO workers (id, host, pid, agents, concurrency, driving, started_at, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const forget = 'DELETE FROM workers WHERE at < ?'
const remove = 'DELETE FROM workers WHERE id = ?'
const select = 'SELECT * FROM workers WHERE at >= ? ORDER BY at DESC, number DESC'

/** The part of the store that knows who works; each call is made inside a transaction. */
export function createWorkers({ sql }: Session) {
  return {
    beat({ id, host, pid, agents, concurrency, driving, startedAt }: WorkerBeat): void {
      const at = Date.now()
      sql(insert).run(id, host, pid, JSON.stringify(agents), concurrency, driving, startedAt, at)
      sql(forget).run(at - longestSilenceMs)
    },

    leave(workerId: string): void {
      sql(remove).run(workerId)
    },

    workers(): readonly WorkerRecord[] {
      const now = Date.now()
      return sql(select)
        .all(now - longestSilenceMs)
        .map((row) => workerIn(row, now))
    },
  }
}

function workerIn(row: SqlRow, now: number): WorkerRecord {
  return {
    id: text('', row, 'id'),
    host: text('', row, 'host'),
    pid: number('', row, 'pid'),
    agents: namesIn(text('', row, 'agents')),
    concurrency: number('', row, 'concurrency'),
    driving: number('', row, 'driving'),
    startedAt: number('', row, 'started_at'),
    silentMs: Math.max(now - number('', row, 'at'), 0),
  }
}

/** What is not readable names nobody: the next beat of the worker writes it anew. */
function namesIn(list: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(list)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
