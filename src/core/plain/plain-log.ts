import type { StoredDecision } from '../domain/inbox.ts'
import { canonicalJson, hashText, isRecord, type JsonObject } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import type { LogEntry } from '../domain/log.ts'
import type { InputMessage } from '../domain/message.ts'
import type { GivenInput } from '../domain/payload.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'

/** Messages and calls of a run that plain XState drives, which no snapshot holds: plain JSON, kept beside it. */
export interface PlainLog {
  readonly runId: string
  readonly entries: readonly LogEntry[]
}

/** What a snapshot says of the run and the log it belongs to. */
export interface LogLink {
  readonly runId: string
  readonly entries: number
  readonly hash: string
  /** Every decision the run was given, so that a repeated one is known after a restore too. */
  readonly decisions: readonly StoredDecision[]
  /** How many entries are of the run it goes on from; absent for none. */
  readonly carried?: number
  /** What the run was begun with, until its transcript has it. */
  readonly given?: GivenInput
  /** What the run has queued, by the number its chart has for it. */
  readonly said?: readonly PlainSaid[]
}

/** Something said to a bare actor, which has no inbox to keep it in. */
export interface PlainSaid {
  readonly inboxId: number
  readonly messages: readonly InputMessage[]
}

/** A snapshot that can be gone on from, with the log it belongs to. */
export interface CheckedSnapshot {
  readonly snapshot: JsonObject
  readonly link: LogLink
  readonly entries: readonly LogEntry[]
}

const wish = 'Keep what onLog gives beside each snapshot, and hand both in: agent.provide({ log })'

/** Ties a snapshot to the log as it stands. */
export function linkTo(
  { runId, entries }: PlainLog,
  kept: Pick<LogLink, 'decisions' | 'carried' | 'given' | 'said'>,
): LogLink {
  return { runId, entries: entries.length, hash: hashOf(entries), ...kept }
}

/** Holds a snapshot against the log it comes with; throws a `SnapshotError` where they are no pair. */
export function checkPair(persisted: unknown, log: PlainLog | undefined): CheckedSnapshot {
  const copied = copyJson(persisted)
  if (copied.problem !== undefined) throw new SnapshotError('', `its snapshot ${copied.problem}`)
  const snapshot = copied.value
  const link = isRecord(snapshot) ? linkOf(snapshot['plain']) : undefined
  if (!isRecord(snapshot) || link === undefined) {
    const source = 'Take one with getPersistedSnapshot() of an actor of agent.provide() or agent.machine'
    throw new SnapshotError('', `its snapshot does not name a log. ${source}`)
  }
  return { snapshot, link, entries: checkedEntries(link, log) }
}

function checkedEntries({ runId, entries: count, hash }: LogLink, log: unknown): readonly LogEntry[] {
  if (log === undefined) throw new SnapshotError(runId, `its log is missing. ${wish}`, { code: 'log_missing' })
  if (!isRecord(log) || !Array.isArray(log['entries'])) {
    const problem = `what was given as its log is no log, which is { runId, entries }. ${wish}`
    throw new SnapshotError(runId, problem, { code: 'log_missing' })
  }
  const { runId: other, entries } = log
  if (other !== runId) {
    const problem = `the log is that of run ${JSON.stringify(other)}. ${wish}`
    throw new SnapshotError(runId, problem, { code: 'log_of_another_run' })
  }
  if (entries.length < count) {
    const problem = `its log has ${entries.length} entries, and the snapshot was taken with ${count}. ${wish}`
    throw new SnapshotError(runId, problem, { code: 'log_cut_short' })
  }
  if (entries.length > count || hashOf(entries) !== hash) {
    const problem = `its log is not the one the snapshot was taken with: another moment's, or changed since. ${wish}`
    throw new SnapshotError(runId, problem, { code: 'log_of_another_moment' })
  }
  return entries as readonly LogEntry[]
}

function linkOf(value: unknown): LogLink | undefined {
  if (!isRecord(value)) return undefined
  const { runId, entries, hash, decisions, carried, given, said } = value
  if (typeof runId !== 'string' || typeof entries !== 'number' || typeof hash !== 'string') return undefined
  if (!Array.isArray(decisions)) return undefined
  return {
    runId,
    entries,
    hash,
    decisions: decisions as StoredDecision[],
    ...(Number.isSafeInteger(carried) ? { carried: Math.min(Math.max(Number(carried), 0), entries) } : {}),
    ...(isRecord(given) ? { given: given as unknown as GivenInput } : {}),
    ...(Array.isArray(said) ? { said: said as unknown as PlainSaid[] } : {}),
  }
}

/** The order of keys is not the log's: a store of documents may keep them otherwise. */
function hashOf(entries: readonly unknown[]): string {
  const copied = copyJson(entries)
  return copied.problem === undefined ? hashText(canonicalJson(copied.value)) : ''
}
