import type { DeletedSession } from '../../ports/session-rows.ts'
import { sessionProblem, type StoredSession } from '../../domain/session-state.ts'
import { isRecord } from '../../domain/text/json.ts'
import { parseJson } from '../../domain/text/parse-json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { isStatus } from './decode-rows.ts'
import { sessionDamaged } from './store-errors.ts'

/** A session's row, JSON kept as text. Times are Unix milliseconds. */
export interface SessionRow {
  readonly id: string
  readonly agent: string
  readonly subject: string | null
  readonly createdAt: number
  readonly activeAt: number | null
  readonly version: number
  readonly lastRun: string | null
  /** The status of that run; null where there is none. */
  readonly lastStatus: string | null
  /** Its counters, its number of runs and its queue. */
  readonly state: string
  readonly metadata: string
}

/** A session of its row; `session_damaged` where the row cannot be read. */
export function decodeSession(row: SessionRow): StoredSession {
  const { id, agent, subject, createdAt, activeAt, version, lastRun, lastStatus } = row
  const kept = {
    id,
    agent,
    ...(subject === null ? {} : { subject }),
    metadata: parsed(row, row.metadata),
    createdAt,
    ...fieldsOf(parsed(row, row.state)),
    ...(lastRun === null ? {} : { lastRun }),
  }
  const problem = sessionProblem(kept)
  if (problem !== undefined) throw sessionDamaged(id, problem)
  return {
    ...(kept as unknown as StoredSession),
    version,
    ...(activeAt === null ? {} : { lastActivity: activeAt }),
    ...activeOf(id, lastRun, lastStatus),
  }
}

function fieldsOf(state: unknown): object {
  const { counters, runs, queued } = isRecord(state) ? state : {}
  return { counters, runs, queued }
}

function activeOf(id: string, runId: string | null, status: string | null): Pick<StoredSession, 'active'> {
  if (runId === null || status === null || status === 'done') return {}
  if (!isStatus(status)) throw sessionDamaged(id, `names a run "${runId}" whose status cannot be read`)
  return { active: { runId, status } }
}

function parsed({ id }: SessionRow, text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw sessionDamaged(id, `is not readable JSON (${thrownText(cause)})`, cause)
  }
}

/** What became of a session that stays, as it has runs or was active since. */
export const keptSession: DeletedSession = { runs: [], readers: [], isKept: true }
