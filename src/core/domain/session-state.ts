import type { InboxItem } from './inbox.ts'
import { isRecord, type JsonObject, type Owned } from './text/json.ts'
import { copyJson } from './text/json-copy.ts'
import { maxKeptBytes, maxKeptDepth } from './text/json-limits.ts'
import { checkedMetadata } from './metadata.ts'
import type { RunStatus } from './outcome.ts'
import { UsageError } from './text/usage-error.ts'

/** A steering message or follow-up that arrived while no run was in progress. */
export interface QueuedItem {
  readonly item: Extract<InboxItem, { kind: 'steer' | 'followUp' }>
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** The stored state of a session, besides its runs. */
export interface SessionState {
  /** 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`. */
  readonly id: string
  /** The agent's id. */
  readonly agent: string
  readonly subject?: string
  /** The application's data, at most 64 kB of JSON; the labels of its runs are among its fields. */
  readonly metadata: JsonObject
  /** Unix milliseconds. */
  readonly createdAt: number
  /** The number of runs begun with each configuration, by the configuration's id. */
  readonly counters: { readonly [configuration: string]: number }
  /** The number of runs begun. */
  readonly runs: number
  /** The run that began last; absent before the first, after a reset and after a rotation. */
  readonly lastRun?: string
  /** Messages that arrived while no run was in progress, for the next prompt's run. */
  readonly queued: readonly QueuedItem[]
}

/** A session as a store returns it. The data derived from its runs was read at the same moment. */
export interface StoredSession extends SessionState {
  /**
   * The version of the state, which each change increments and must name. 0 means that the session is not stored. A
   * session that was deleted and begun again never repeats an earlier version.
   */
  readonly version: number
  /** Unix milliseconds of the last prompt, steering, change of the queue, end or wait; absent without any. */
  readonly lastActivity?: number
  /** The run `lastRun` while it is not done. */
  readonly active?: { readonly runId: string; readonly status: RunStatus }
}

/** Returns a frozen copy of a state for storage; throws a `UsageError` for an invalid state. Every store calls it. */
export function checkedSession(state: SessionState): Owned<SessionState> {
  checkedSessionId(state.id)
  checkedMetadata(state.metadata)
  const copied = copyJson(state, { freezes: true, mostBytes: maxKeptBytes, mostDepth: maxKeptDepth })
  const problem = copied.problem ?? sessionProblem(copied.value)
  if (copied.problem === undefined && problem === undefined) return copied.value as unknown as Owned<SessionState>
  throw new UsageError('bad_session', `The state of session "${state.id}" ${problem}. Nothing was stored.`)
}

/** Returns a valid session id; throws a `UsageError` for an invalid one. */
export function checkedSessionId(id: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id) && id !== 'last') return id
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : typeof id
  const wish = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-"; "last" names the newest session.'
  throw new UsageError('bad_session_id', `Session id ${shown} is refused. ${wish}`)
}

/** Returns the problem with a session's state, as the rest of a sentence, or undefined if it is valid. */
export function sessionProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'is not an object'
  const { agent, subject, metadata, createdAt, counters, runs, lastRun, queued } = value
  if (typeof agent !== 'string') return 'has no agent'
  if (subject !== undefined && typeof subject !== 'string') return 'has a subject that is not a text'
  if (!isRecord(metadata)) return 'has metadata that is not an object'
  if (typeof createdAt !== 'number') return 'has no time'
  if (!isRecord(counters) || !Object.values(counters).every(isCount)) return 'has counters that are not whole numbers'
  if (!isCount(runs)) return 'has a number of runs that is not a whole number'
  if (lastRun !== undefined && typeof lastRun !== 'string') return 'has a last run that is not a text'
  if (!Array.isArray(queued) || !queued.every(isQueued)) return 'has a queue with items other than messages'
  return undefined
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isQueued(value: unknown): boolean {
  if (!isRecord(value) || typeof value['at'] !== 'number' || !isRecord(value['item'])) return false
  const { kind, messages, text } = value['item']
  return (kind === 'steer' || kind === 'followUp') && (Array.isArray(messages) || typeof text === 'string')
}
