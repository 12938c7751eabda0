import type { JsonObject } from '../domain/text/json.ts'
import { checkedMetadata } from '../domain/metadata.ts'
import type { StoredSession } from '../domain/session-state.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { checkedLabels, type RunLabels } from '../driving/run-labels.ts'
import type { SessionOptions } from './session.ts'

/** The details of a new session. They must not contradict a stored session. */
export interface SessionBeginning {
  readonly subject: string | undefined
  /** None: those of any. */
  readonly labels: RunLabels
  /** The labels are among its fields. */
  readonly metadata: JsonObject
}

/** Returns a checked copy of a session's details. */
export function checkedBeginning({ subject, labels: given = {}, metadata = {} }: SessionOptions): SessionBeginning {
  const labels = checkedLabels(given)
  return { subject, labels, metadata: checkedMetadata({ ...checkedMetadata(metadata), ...labels }) }
}

/**
 * Throws a `UsageError` for a session with another subject or other labels. The error does not name the session's
 * owner, because the caller may be a stranger.
 */
export function refuseOthers({ id, subject = id, metadata }: StoredSession, begun: SessionBeginning): void {
  const { subject: given = subject, labels } = begun
  const has = ([name, value]: readonly [string, string]) => Object.hasOwn(metadata, name) && metadata[name] === value
  const isOwn = Object.entries(labels).every(has)
  if (given === subject && isOwn) return
  const what = isOwn ? 'subject' : 'labels'
  const wish = `Choose another session id, or leave out the ${what} if the caller may see every session.`
  throw new UsageError(`other_${what}`, `Session "${id}" belongs to others, by its ${what}. ${wish}`)
}
