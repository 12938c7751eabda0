import { isRecord } from '../../core/domain/text/json.ts'
import { expecting } from '../../core/domain/text/option-shape.ts'
import { isText } from '../../core/domain/text/shape.ts'

/** Throws a `UsageError` for what is no recorded session. */
export const checkSession = expecting(
  'a recorded session, as a recorder or a session store gives it',
  (session) => isRecord(session) && isText(session['id']) && areRuns(session['runs']),
)

function areRuns(runs: unknown): boolean {
  return Array.isArray(runs) && runs.every((run) => isRecord(run) && isText(run['id']))
}
