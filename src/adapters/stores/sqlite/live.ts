import type { Clock } from '../../../core/ports/clock.ts'
import type { LiveAnswer } from '../../../core/ports/live-answers.ts'
import type { Lease } from '../../../core/ports/stored-run.ts'
import { optionalNumber, optionalText } from '../../../core/stores/rows/columns.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { decodeLive, freshMs, markMs } from '../../../core/stores/rows/live-rows.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { Session } from './session.ts'

const select = `
  SELECT status, read_at, CASE WHEN owner IS NOT NULL AND live.fence = runs.fence THEN body END AS body
  FROM runs LEFT JOIN live ON live.run_id = runs.id WHERE runs.id = ?`
const mark =
  'INSERT INTO live (run_id, read_at) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET read_at = excluded.read_at'
const selectMark = 'SELECT 1 AS marked FROM live WHERE run_id = ? AND read_at >= ?'
const put = `
  UPDATE live SET fence = ?, body = ? WHERE run_id = ?
  AND EXISTS (SELECT 1 FROM runs WHERE id = live.run_id AND fence = ? AND owner = ?)`
const end = 'UPDATE live SET fence = NULL, body = NULL WHERE run_id = ? AND fence = ?'
const forget = 'DELETE FROM live WHERE read_at < ?'

/** The part of the store that holds answers under way. What is looked up first locks nothing. */
export function createLive(session: Session, clock: Pick<Clock, 'now'>) {
  const { sql } = session
  return {
    live(runId: string): LiveAnswer | undefined {
      const row = session.read(() => sql(select).get(runId))
      if (row === undefined) throw runUnknown(runId)
      if (row['status'] === 'done') return undefined
      const now = clock.now()
      if ((optionalNumber(runId, row, 'read_at') ?? 0) < now - freshMs) {
        session.write(() => {
          sql(forget).run(now - 2 * markMs)
          sql(mark).run(runId, now)
        })
      }
      const body = optionalText(runId, row, 'body')
      return body === null ? undefined : decodeLive(body)
    },

    putLive({ runId, fence, owner }: Lease, answer: LiveAnswer): boolean {
      const isMarked = session.read(() => sql(selectMark).get(runId, clock.now() - markMs)) !== undefined
      if (!isMarked) return false
      const body = stringifyJson(answer, `The answer under way of run "${runId}"`)
      session.write(() => sql(put).run(fence, body, runId, fence, owner.id))
      return true
    },

    endLive({ runId, fence }: Lease): void {
      session.write(() => sql(end).run(runId, fence))
    },
  }
}
