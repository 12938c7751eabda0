import { type Run, type Session, UsageError } from '../../index.ts'
import type { UsageErrorCode } from '../../ports.ts'
import type { Access, Action } from '../http/access.ts'
import { isSeen } from '../http/find-run.ts'
import { HttpError } from '../http/http-error.ts'
import type { Exchange } from '../http/serve.ts'

/** A conversation that the caller may use. */
export interface FoundSession {
  readonly session: Session
  readonly access: Access
  /** The run that began last; undefined if none has. */
  readonly run: Run | undefined
}

/**
 * Returns the session with an id. A session that the client may not see is treated as unknown, like another agent's.
 */
export async function findSession(
  { agent, allow }: Pick<Exchange, 'agent' | 'allow'>,
  action: Action,
  sessionId: string,
): Promise<FoundSession> {
  const access = await allow({ action, sessionId })
  const session = agent.session(sessionId, access.filter)
  const state = await session.state().catch(asUnknown)
  if (state === undefined) return { session, access, run: undefined }
  const run = state.lastRun === undefined ? undefined : await agent.load(state.lastRun)
  if (run === undefined || (await isSeen(run, access.filter))) return { session, access, run }
  throw unknownSession()
}

/** Returns the error for a conversation that does not exist for the caller. */
export function unknownSession(): HttpError {
  return new HttpError(404, 'session_unknown', 'There is no conversation with this id. Begin one with another id.')
}

const others: ReadonlySet<string> = new Set<UsageErrorCode>(['other_subject', 'other_labels'])

function asUnknown(error: unknown): never {
  throw error instanceof UsageError && others.has(error.code) ? unknownSession() : error
}

/** Returns the most recently begun run, whether active or done; throws if there is none. */
export function runOf({ run, session }: FoundSession): Run {
  if (run !== undefined) return run
  throw new HttpError(404, 'session_unknown', `The conversation "${session.id}" has no messages.`)
}
