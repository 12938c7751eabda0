import type { LiveAnswer } from '../../../core/ports/live-answers.ts'
import type { Lease } from '../../../core/ports/stored-run.ts'
import { optionalText } from '../../../core/stores/rows/columns.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { decodeLive, freshMs, markMs } from '../../../core/stores/rows/live-rows.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import { timeOr } from './lease-time.ts'
import type { Session } from './session.ts'

const select = `
  SELECT runs.number, status, coalesce(read_at, 0) < ${timeOr('$2')} - ${freshMs} AS is_old,
    CASE WHEN owner IS NOT NULL AND live.fence = runs.fence THEN body END AS body
  FROM @.runs LEFT JOIN @.live ON live.run = runs.number WHERE runs.id = $1`
const mark = `
  WITH forgotten AS (DELETE FROM @.live WHERE read_at < ${timeOr('$2')} - ${2 * markMs} AND run <> $1)
  INSERT INTO @.live (run, read_at) VALUES ($1, ${timeOr('$2')}) ON CONFLICT (run) DO UPDATE SET read_at = excluded.read_at`
const selectMark = `
  SELECT 1 AS marked FROM @.runs JOIN @.live ON live.run = runs.number
  WHERE id = $1 AND read_at >= ${timeOr('$2')} - ${markMs}`
const put = `
  UPDATE @.live SET fence = $2, body = $3 FROM @.runs
  WHERE runs.id = $1 AND live.run = runs.number AND runs.fence = $2 AND runs.owner = $4`
const end = `
  UPDATE @.live SET fence = NULL, body = NULL FROM @.runs WHERE runs.id = $1 AND live.run = runs.number AND live.fence = $2`

/** The part of the store that holds answers under way, in a table that a crash of the server empties. */
export function createLive({ look, statement }: Session, now: () => number | undefined) {
  const time = () => now() ?? null
  return {
    async live(runId: string): Promise<LiveAnswer | undefined> {
      const [row] = await look((sql) => sql(select, runId, time()))
      if (row === undefined) throw runUnknown(runId)
      if (row['status'] === 'done') return undefined
      const run = String(row['number'])
      if (row['is_old'] === true) await statement((sql) => sql(mark, run, time()))
      const body = optionalText(runId, row, 'body')
      return body === null ? undefined : decodeLive(body)
    },

    async putLive({ runId, fence, owner }: Lease, answer: LiveAnswer): Promise<boolean> {
      const marks = await look((sql) => sql(selectMark, runId, time()))
      if (marks.length === 0) return false
      const body = stringifyJson(answer, `The answer under way of run "${runId}"`)
      await statement((sql) => sql(put, runId, fence, body, owner.id))
      return true
    },

    async endLive({ runId, fence }: Lease): Promise<void> {
      await statement((sql) => sql(end, runId, fence))
    },
  }
}
