import type { StoredDecision } from '../domain/inbox.ts'
import { canonicalJson, hashText, isRecord, type JsonObject } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import type { LogEntry } from '../domain/log.ts'
import type { InputMessage } from '../domain/message.ts'
import type { GivenInput } from '../domain/payload.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'

/**
 * The messages and calls of a run that plain XState drives. They are plain JSON and are stored beside the snapshot,
 * which does not hold them.
 */
export interface PlainLog {
  readonly runId: string
  readonly entries: readonly LogEntry[]
}

/** A snapshot's reference to its run and its log. */
export interface LogLink {
  readonly runId: string
  readonly entries: number
  readonly hash: string
  /** Every decision that the run has received, so that a repeated decision is recognised after a restore. */
  readonly decisions: readonly StoredDecision[]
  /** The number of the last entry from the continued run; absent without one. Numbers have gaps. */
  readonly carried?: number
  /** The input of the run, until the transcript contains it. */
  readonly given?: GivenInput
  /** The queued messages of the run, by their numbers in the chart. */
  readonly said?: readonly PlainSaid[]
}

/** A message to a bare actor, which has no inbox to store it. */
export interface PlainSaid {
  readonly inboxId: number
  readonly messages: readonly InputMessage[]
}

/** A usable snapshot with its log. */
export interface CheckedSnapshot {
  readonly snapshot: JsonObject
  readonly link: LogLink
  readonly entries: readonly LogEntry[]
}

const wish = 'Store the log of onLog with each snapshot, and pass both: agent.provide({ log })'

/** Returns the reference from a snapshot to the current log. */
export function linkTo(
  { runId, entries }: PlainLog,
  kept: Pick<LogLink, 'decisions' | 'carried' | 'given' | 'said'>,
): LogLink {
  return { runId, entries: entries.length, hash: hashOf(entries), ...kept }
}

/** Checks a snapshot against its log; throws a `SnapshotError` if they do not belong together. */
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
    const problem = `its log does not have the form { runId, entries }. ${wish}`
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
    const problem = `its log does not match the snapshot: it is from another moment, or was changed. ${wish}`
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
    ...(Number.isSafeInteger(carried) ? { carried: Math.max(Number(carried), 0) } : {}),
    ...(isRecord(given) ? { given: given as unknown as GivenInput } : {}),
    ...(Array.isArray(said) ? { said: said as unknown as PlainSaid[] } : {}),
  }
}

/** Hashes canonical JSON, because a document store may change the order of keys. */
function hashOf(entries: readonly unknown[]): string {
  const copied = copyJson(entries)
  return copied.problem === undefined ? hashText(canonicalJson(copied.value)) : ''
}
