import { type CallRecord, isTerminal } from '../../domain/call.ts'
import type { LogEntry } from '../../domain/log.ts'
import type { Owner } from '../../domain/owner.ts'
import type { Commit, CommitReceipt, FirstCommit } from '../../ports/store.ts'
import type { RecordChange } from '../../domain/records/record-change.ts'
import type { StoredFile } from '../../domain/stored-media.ts'
import { type KeepJson, type KeptJson, stringifyJson } from './json-text.ts'
import { fenceConflict, versionConflict } from './store-errors.ts'
import { changingKinds, queuedKinds } from '../../domain/inbox.ts'
import type { InboxTextRow, LeaseRow, LogRow, RunRow } from './stored-rows.ts'

/** A file with the row of the log that refers to it; `seq` is 0 for the input of a run. */
export interface PlacedFile extends StoredFile {
  readonly seq: number
}

/** A commit with its JSON as text, so that later changes by the caller do not reach the store. */
export interface EncodedCommit extends Pick<
  Commit,
  'runId' | 'owner' | 'fence' | 'at' | 'status' | 'document' | 'consumed'
> {
  readonly version: number
  /** Undefined if the commit leaves the outcome as it was; nulls if it takes it away. */
  readonly outcome: OutcomeTexts | undefined
  readonly rows: readonly LogRow[]
  readonly calls: readonly LogRow[]
  /** The files that these rows and the input refer to; a store has most of them already. */
  readonly files: readonly PlacedFile[]
  readonly hasCheckpoint: boolean
  /** Ids of the calls that it settles. */
  readonly settled: readonly string[]
  readonly emptied: readonly number[]
  readonly timers: Commit['timers']
  /** Undefined if the commit leaves the input as it was. */
  readonly input: KeptJson | undefined
  /** Undefined if the commit leaves the line of the prompt as it was. */
  readonly prompt: string | null | undefined
  readonly records: readonly RecordChange<unknown>[]
  readonly release: boolean
}

/** The facts of a run that a commit depends on. */
export interface CommitHead
  extends Pick<RunRow, 'version' | 'status' | 'reason' | 'code' | 'error'>, Pick<LeaseRow, 'fence' | 'owner'> {
  readonly lastSeq: number
}

/** The way in which a store keeps the JSON of a commit. */
export interface CommitKeeping {
  readonly keep: KeepJson
  /** The files that are kept apart meanwhile. */
  readonly files: readonly PlacedFile[]
}

const asText: CommitKeeping = { keep: stringifyJson, files: [] }

/** Encodes a commit's JSON once, by default as text. Throws a TypeError or RangeError for a malformed commit. */
export function encodeCommit(commit: Commit, { keep, files }: CommitKeeping = asText): EncodedCommit {
  const { runId } = commit
  const version = commit.expectedVersion + 1
  const checkpoints = commit.append.filter((entry) => entry.kind === 'checkpoint').length
  if (checkpoints > 1) throw misuse(runId, `it appends ${checkpoints} checkpoints; append at most one`)
  if ((checkpoints === 1) !== (commit.document === null)) {
    throw misuse(runId, 'the state belongs either in the checkpoint it appends or, without one, in `document`')
  }
  return {
    runId,
    owner: commit.owner,
    fence: commit.fence,
    version,
    at: commit.at,
    status: commit.status,
    outcome: outcomeTexts(commit),
    rows: commit.append.map((entry) => encodeEntry(runId, entry, version, keep)),
    calls: commit.calls.map(({ record, document }) =>
      callRow(record, { version, document, keep }, `Call "${record.callId}" of run "${runId}"`),
    ),
    files,
    hasCheckpoint: checkpoints === 1,
    document: commit.document,
    consumed: commit.consumed.map((row) => ({ ...row })),
    settled: settledIn(commit),
    emptied: [...(commit.emptied ?? [])],
    timers: commit.timers?.map((timer) => ({ ...timer })),
    input: commit.input === undefined ? undefined : keep(commit.input, inputOf(runId), 0),
    prompt: commit.prompt,
    records: [...(commit.records ?? [])],
    release: commit.release === true,
  }
}

function settledIn({ append, calls }: Commit): readonly string[] {
  const records = calls.map(({ record }) => record)
  for (const entry of append) if (entry.kind === 'call') records.push(entry.call)
  return records.filter(({ status }) => isTerminal(status)).map(({ callId }) => callId)
}

/** Returns the name of a run's input for errors. */
export function inputOf(runId: string): string {
  return `The input of run "${runId}"`
}

interface OutcomeTexts {
  readonly reason: string | null
  readonly code: string | null
  readonly error: string | null
}

/** The outcome texts of a run without an outcome. */
export const noOutcome: OutcomeTexts = { reason: null, code: null, error: null }

/** A running run has no outcome; a resting run keeps its last. */
function outcomeTexts({ runId, status, outcome }: Commit): OutcomeTexts | undefined {
  if (outcome === undefined) return status === 'running' ? noOutcome : undefined
  const { reason, code = null, error } = outcome
  return { reason, code, error: error === undefined ? null : stringifyJson(error, `The error of run "${runId}"`) }
}

/** Encodes the commit with which a run is created. */
export function encodeFirst(runId: string, first: FirstCommit, owner: Owner, keeping?: CommitKeeping): EncodedCommit {
  return encodeCommit({ ...first, runId, owner: owner.id, fence: 1, expectedVersion: 0 }, keeping)
}

/** Returns the answer to a written commit. */
export function receiptOf({ version, release }: EncodedCommit): CommitReceipt {
  return release ? { version, released: true } : { version }
}

/** Throws for a commit with a lost lease, or whose version is not the next one. */
export function checkHead(commit: EncodedCommit, head: CommitHead): void {
  if (head.owner !== commit.owner || head.fence !== commit.fence) throw fenceConflict(commit.runId, head, commit.fence)
  if (head.version !== commit.version - 1) throw versionConflict(commit.runId, head.version, commit.version - 1)
}

/** Throws for a commit whose new entries do not follow the last one. */
export function checkSequence({ runId, rows }: EncodedCommit, lastSeq: number): void {
  for (const [index, { seq }] of rows.entries()) {
    const expected = lastSeq + 1 + index
    if (seq > maxSeq) throw misuse(runId, `its log would have more than ${maxSeq} entries; start a new run`)
    if (seq !== expected) throw misuse(runId, `it appends log entry ${seq} where ${expected} is next`)
  }
}

/** The maximum number of entries in a run's log. */
export const maxSeq = 2 ** 24 - 1

/** The bytes after which a page of entries that are read for their events takes no further one. */
export const pageBytes = 65_536

/** Returns true for a commit that rests or ends the run. No unread row that could change this may precede it. */
export function isResting(commit: EncodedCommit): boolean {
  return commit.status !== 'running' || isEnd(commit)
}

/** A run may be running after its end is planned, while hooks receive the end. */
function isEnd({ status, outcome }: EncodedCommit): boolean {
  return status === 'done' || (status === 'running' && typeof outcome?.reason === 'string')
}

/** Returns true for an unconsumed row that refuses such a commit. A waiting run keeps the messages that it receives. */
export function isRefusing(
  commit: EncodedCommit,
  { id, kind, callId }: Pick<InboxTextRow, 'id' | 'kind' | 'callId'>,
): boolean {
  if (consumes(commit, id)) return false
  if (!isResting(commit)) return callId !== null && commit.settled.includes(callId)
  return changingKinds.has(kind) || (isEnd(commit) && queuedKinds.has(kind))
}

/** Returns true for a row that the commit consumes. */
export function consumes({ consumed }: EncodedCommit, row: number): boolean {
  return consumed.some(({ id }) => id === row)
}

/** Returns true if the row of the run must be written: its state is nowhere else, or its status has changed. */
export function changesRun(commit: EncodedCommit, head: CommitHead): boolean {
  const { outcome } = commit
  if (!commit.hasCheckpoint || commit.status !== head.status) return true
  return (
    outcome !== undefined &&
    (outcome.reason !== head.reason || outcome.code !== head.code || outcome.error !== head.error)
  )
}

/** Returns the error for a commit that names a slot which holds no call. */
export function noSuchSlot({ runId }: EncodedCommit, seq: number): RangeError {
  return misuse(runId, `it changes the call of slot ${seq}, which the log does not have`)
}

function encodeEntry(runId: string, entry: LogEntry, version: number, keep: KeepJson): LogRow {
  const { seq, kind } = entry
  const what = `Log entry ${seq} of run "${runId}"`
  const row = { seq, version, kind, document: null, place: null, turn: null }
  switch (kind) {
    case 'message': {
      const { at = null, turn = null, place = null, message } = entry
      return { ...row, body: keep(message, what, seq), at, turn, place }
    }
    case 'call':
      if (entry.call.seq !== seq) throw misuse(runId, `log entry ${seq} holds the call of slot ${entry.call.seq}`)
      return callRow(entry.call, { version, document: null, keep }, what)
    case 'state':
      return { ...row, body: keep(entry.state, what), at: entry.at ?? null }
    case 'value': {
      const { name, value, at = null, turn = null } = entry
      return { ...row, body: keep({ name, value }, what, seq), at, turn }
    }
    case 'mark':
      return { ...row, body: keep(entry.event ?? null, what), at: entry.at }
    case 'checkpoint':
      return new CheckpointRow(entry, version, keep(entry.names, what))
  }
}

/** Returns the row of a call without its result, which another entry holds; the row of a late result has a copy. */
function callRow(
  call: CallRecord,
  { version, document, keep }: Pick<LogRow, 'version' | 'document'> & Pick<CommitKeeping, 'keep'>,
  what: string,
): LogRow {
  const { resultSeq = null } = call
  const row = { seq: call.seq, version, kind: 'call', document, at: null, turn: null, place: resultSeq }
  if (resultSeq === null) return { ...row, body: keep(call, what, call.seq) }
  const { result, resultSeq: _, ...slot } = call
  const kept = call.placeholder === true ? { ...slot, result } : slot
  // A log's own record is frozen at every depth, and so needs no copy.
  return { ...row, body: keep(Object.isFrozen(call) ? Object.freeze(kept) : kept, what, call.seq) }
}

type CheckpointEntry = Extract<LogEntry, { readonly kind: 'checkpoint' }>

/** The row of a checkpoint: the document is encoded when it is read, and rows in memory may never be. */
class CheckpointRow implements LogRow {
  readonly seq: number
  readonly version: number
  readonly kind = 'checkpoint'
  readonly body: KeptJson
  readonly at: number
  readonly turn = null
  readonly place = null
  declare readonly document: string
  readonly #entry: CheckpointEntry

  constructor(entry: CheckpointEntry, version: number, body: KeptJson) {
    this.seq = entry.seq
    this.version = version
    this.body = body
    this.at = entry.at
    this.#entry = entry
    Object.defineProperty(this, 'document', entryDocument)
  }

  encoded(): string {
    return this.#entry.document
  }
}

/** One for all rows, because V8 keeps an object with its own accessor as a slow table. */
const entryDocument: PropertyDescriptor & ThisType<CheckpointRow> = {
  enumerable: true,
  get() {
    return this.encoded()
  },
}

/** Returns the error for a commit that no store can apply. */
export function misuse(runId: string, problem: string): RangeError {
  return new RangeError(`This commit of run "${runId}" is malformed: ${problem}. Nothing was written.`)
}
