import type { InboxItem } from './inbox.ts'
import { isRecord, type JsonObject, type Owned } from './text/json.ts'
import { copyJson } from './text/json-copy.ts'
import { maxKeptBytes, maxKeptDepth } from './text/json-limits.ts'
import { checkedMetadata } from './metadata.ts'
import type { RunStatus } from './outcome.ts'
import { UsageError } from './text/usage-error.ts'

/** Steering or a follow-up that was said while no run was under way. */
export interface QueuedItem {
  readonly item: Extract<InboxItem, { kind: 'steer' | 'followUp' }>
  /** Unix milliseconds of receipt. */
  readonly at: number
}

/** What a store keeps of a session beside its runs. */
export interface SessionState {
  /** 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`. */
  readonly id: string
  /** Id of the agent. */
  readonly agent: string
  readonly subject?: string
  /** What the application keeps with it, at most 64 kB of JSON; the labels of its runs are among its fields. */
  readonly metadata: JsonObject
  /** Unix milliseconds. */
  readonly createdAt: number
  /** How many runs it has begun with each configuration, by the configuration's id. */
  readonly counters: { readonly [configuration: string]: number }
  /** How many runs it has begun. */
  readonly runs: number
  /** The run that began last; absent before the first, after a reset and after a rotation. */
  readonly lastRun?: string
  /** What was said while no run was under way, for the next prompt's run. */
  readonly queued: readonly QueuedItem[]
}

/** A session as a store gives it. What is derived of its runs was read at the same moment. */
export interface StoredSession extends SessionState {
  /**
   * Raised by each change of the state; a change names the one it has read. 0 stands for a session that is not stored. A
   * session that was deleted and begun again has none of its earlier ones.
   */
  readonly version: number
  /** Unix milliseconds of the last prompt, steering, change of the queue, end or wait; absent where there was none. */
  readonly lastActivity?: number
  /** The run `lastRun`, as long as it is not done. */
  readonly active?: { readonly runId: string; readonly status: RunStatus }
}

/** A state as it may be stored: a frozen copy. Throws a `UsageError` where it could not be; every store uses this function. */
export function checkedSession(state: SessionState): Owned<SessionState> {
  checkedSessionId(state.id)
  checkedMetadata(state.metadata)
  const copied = copyJson(state, { freezes: true, mostBytes: maxKeptBytes, mostDepth: maxKeptDepth })
  const problem = copied.problem ?? sessionProblem(copied.value)
  if (copied.problem === undefined && problem === undefined) return copied.value as unknown as Owned<SessionState>
  throw new UsageError('bad_session', `The state of session "${state.id}" ${problem}. Nothing was stored.`)
}

/** A session id as it may be stored; throws a `UsageError` for another. */
export function checkedSessionId(id: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)) return id
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : typeof id
  const wish = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-".'
  throw new UsageError('bad_session_id', `Session id ${shown} is refused. ${wish}`)
}

/** What keeps a value from being a session's state, as the rest of a sentence; undefined where it is one. */
export function sessionProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'is no object'
  const { agent, subject, metadata, createdAt, counters, runs, lastRun, queued } = value
  if (typeof agent !== 'string') return 'has no agent'
  if (subject !== undefined && typeof subject !== 'string') return 'has a subject that is no text'
  if (!isRecord(metadata)) return 'has metadata that is no object'
  if (typeof createdAt !== 'number') return 'has no time'
  if (!isRecord(counters) || !Object.values(counters).every(isCount)) return 'has counters that are no whole numbers'
  if (!isCount(runs)) return 'has a number of runs that is no whole number'
  if (lastRun !== undefined && typeof lastRun !== 'string') return 'has a last run that is no text'
  if (!Array.isArray(queued) || !queued.every(isQueued)) return 'has a queue that holds something else than messages'
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
