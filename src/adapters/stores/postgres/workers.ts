import { isNumber, isShaped, isText } from '../../../core/domain/text/shape.ts'
import type { WorkerBeat, WorkerRecord } from '../../../core/domain/worker-record.ts'
import { number, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import { longestSilenceMs } from '../../../core/stores/rows/failed-rows.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { timeOr } from './lease-time.ts'
import type { Session } from './session.ts'

const time = timeOr('NULL')
const beat = `
  WITH forgotten AS (DELETE FROM @.workers WHERE at < ${time} - ${longestSilenceMs} AND id <> $1)
  INSERT INTO @.workers (id, body, at) VALUES ($1, $2, ${time}) ON CONFLICT (id) DO UPDATE SET body = $2, at = ${time}`
const leave = 'DELETE FROM @.workers WHERE id = $1'
const select = `
  SELECT body, greatest(${time} - at, 0) AS silent FROM @.workers WHERE at >= ${time} - ${longestSilenceMs}
  ORDER BY at DESC, id DESC`

/** The part of the store that knows who works, by the clock of the server. */
export function createWorkers({ look, statement }: Session) {
  return {
    async beat(worker: WorkerBeat): Promise<void> {
      const { id, host, pid, agents, concurrency, driving, startedAt } = worker
      const body = { id, host, pid, agents, concurrency, driving, startedAt }
      await statement((sql) => sql(beat, id, stringifyJson(body, `The beat of worker "${id}"`)))
    },

    async leave(workerId: string): Promise<void> {
      await statement((sql) => sql(leave, workerId))
    },

    workers: (): Promise<readonly WorkerRecord[]> => look(async (sql) => (await sql(select)).flatMap(workerIn)),
  }
}

/** What is not readable is left out: the next beat of the worker writes it anew. */
function workerIn(row: SqlRow): readonly WorkerRecord[] {
  const worker = parsed(text('', row, 'body'))
  return isBeat(worker) ? [{ ...worker, silentMs: number('', row, 'silent') }] : []
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const isBeat = isShaped<WorkerBeat>({
  id: isText,
  host: isText,
  agents: Array.isArray,
  pid: isNumber,
  concurrency: isNumber,
  driving: isNumber,
  startedAt: isNumber,
})
