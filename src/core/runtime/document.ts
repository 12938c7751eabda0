import type { CallRecord, CallStatus } from '../domain/call.ts'
import { carriedIn } from '../domain/carried.ts'
import { type LogEntry, withResults } from '../domain/log.ts'
import type { MachineState } from '../step/actor-state.ts'
import { type ContextDefaults, reviveRun, type StoredActor, type StoredChild, topLevelState } from './persist.ts'
import { isRecord, type JsonObject } from '../domain/text/json.ts'
import { parseJson } from '../domain/text/parse-json.ts'
import type { StoredRun } from '../ports/store.ts'
import type { Migrations } from './migration.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'

/** The version of the document's shape and of the charts that wrote it; raised with either. */
export const documentSchema = 1

const noMigrations: Migrations = {}

/** The part of a live run that a commit stores beside its log. */
export interface RunDocument {
  readonly schema: number
  /** Number the next log entry gets. */
  readonly nextSeq: number
  readonly root: StoredActor
  /** Calls whose actors are in their own rows, in a document between checkpoints. */
  readonly rows?: readonly string[]
  /** In a checkpoint, the fields of open calls' records: their rows will be overwritten. */
  readonly calls?: OpenCalls
}

/** A complete document, as it was read. */
export interface LoadedDocument {
  readonly nextSeq: number
  /** Absent if the chart has not begun. */
  readonly snapshot?: MachineState
}

/** Returns a checkpoint's document as JSON text. It is complete, so that it can be read and forked by itself. */
export function encodeCheckpoint(root: StoredActor, nextSeq: number, open: readonly CallRecord[]): string {
  const calls = openCallsOf(open, root)
  return JSON.stringify({
    schema: documentSchema,
    nextSeq,
    root,
    ...(Object.keys(calls).length === 0 ? {} : { calls }),
  } satisfies RunDocument)
}

/** Returns the document of a run whose chart has not begun, as JSON text. */
export function encodeBeginning(nextSeq: number): string {
  return JSON.stringify({ schema: documentSchema, nextSeq, root: null })
}

/**
 * Returns the document of a commit between checkpoints as JSON text, without the calls, which have rows of their own.
 */
export function encodeInterim(root: StoredActor, nextSeq: number, rowSource: string): string {
  const children = Object.entries(root.children ?? {})
  const isRow = ([, child]: [string, StoredChild]) => child.src === rowSource
  return JSON.stringify({
    schema: documentSchema,
    nextSeq,
    root: { ...root, children: Object.fromEntries(children.filter((child) => !isRow(child))) },
    rows: children.filter(isRow).map(([id]) => id),
  } satisfies RunDocument)
}

/** Joins the newest stored pieces, or returns undefined for a run without a commit. */
export function decodeRun(
  run: StoredRun,
  defaults: ContextDefaults,
  steps: Migrations = noMigrations,
): LoadedDocument | undefined {
  const { checkpoint, document, calls } = run
  const text = document ?? checkpoint?.document
  const { id, forkedFrom } = run.record
  // A fork is created with its start. Without one it would start over and repeat the original's work.
  if (text === undefined && forkedFrom !== undefined) {
    throw new SnapshotError(id, 'it is a fork whose start was never stored; delete it and fork again')
  }
  const carried = carriedIn(run.input)
  if (text === undefined && carried > 0 && run.continues === undefined) {
    throw new SnapshotError(id, 'the run that it continues was never stored; delete it and prompt the other run again')
  }
  if (text === undefined) return carried > 0 ? { nextSeq: carried + 1 } : undefined
  const head = parseHead(id, text, steps)
  if (head['root'] === null && isBeginning(head, run)) return { nextSeq: head.nextSeq }
  const { nextSeq, root, rows } = wholeDocument(id, head, steps)
  if (rows === undefined) return { nextSeq, snapshot: reviveRun(root, defaults) }
  const base = checkpoint === null ? undefined : parseDocument(id, checkpoint.document, steps)
  const actors = rows.map((callId): [string, StoredChild] => {
    const row = calls.find(({ record }) => record.callId === callId)
    if (row !== undefined && row.document !== null && row.version > (checkpoint?.version ?? 0)) {
      return [callId, parseChild(id, row.document, steps)]
    }
    const child = base?.root.children?.[callId]
    if (child === undefined) throw new SnapshotError(id, `nothing is stored of its call "${callId}"`)
    return [callId, child]
  })
  const whole = { ...root, children: { ...root.children, ...Object.fromEntries(actors) } }
  return { nextSeq, snapshot: reviveRun(whole, defaults) }
}

/** Parses a document; throws for an invalid document or another version. */
export function parseDocument(runId: string, text: string, steps: Migrations = noMigrations): RunDocument {
  return wholeDocument(runId, parseHead(runId, text, steps), steps)
}

/** A chart begins once, after the carried entries: a missing state elsewhere is damage. */
function isBeginning({ nextSeq }: DocumentHead, { checkpoint, input, log }: StoredRun): boolean {
  const carried = carriedIn(input)
  return checkpoint === null && carried > 0 && log.length === carried && nextSeq === carried + 1
}

/** A document before its check. */
type DocumentHead = JsonObject & Pick<RunDocument, 'schema' | 'nextSeq'>

function parseHead(runId: string, text: string, steps: Migrations): DocumentHead {
  const value = readJson(runId, text)
  if (!isRecord(value) || typeof value['schema'] !== 'number') {
    throw new SnapshotError(runId, 'its document is not one of statewright')
  }
  checkSchema(runId, value['schema'], steps)
  if (typeof value['nextSeq'] !== 'number') throw lacksSnapshot(runId)
  return value as DocumentHead
}

function lacksSnapshot(runId: string): SnapshotError {
  return new SnapshotError(runId, 'its document lacks a snapshot')
}

function wholeDocument(runId: string, value: DocumentHead, steps: Migrations): RunDocument {
  if (!isActor(value['root'])) throw lacksSnapshot(runId)
  if (value['calls'] !== undefined && !isOpenCalls(value['calls'])) {
    throw new SnapshotError(runId, 'the open calls in its document are invalid')
  }
  const stored = value as unknown as RunDocument
  const root = migrated(runId, { src: 'root', snapshot: stored.root }, value.schema, steps)
  checkRoot(runId, root)
  return { ...stored, schema: documentSchema, root }
}

/** Throws if a migration from one schema to the next is missing. */
function checkSchema(runId: string, schema: number, steps: Migrations): void {
  let reached = schema
  while (Number.isSafeInteger(reached) && reached < documentSchema && steps[reached] !== undefined) reached++
  if (reached === documentSchema) return
  const versions = `schema ${schema}, this version reads schema ${documentSchema}`
  throw new SnapshotError(runId, `its document has ${versions}; drive it with the version that wrote it`)
}

/** Migrates a tree of actors. A migration that throws leaves the run unchanged. */
function migrated(
  runId: string,
  { src, snapshot: stored }: StoredChild,
  schema: number,
  steps: Migrations,
): StoredActor {
  let snapshot = stored
  for (let from = schema; from < documentSchema; from++) {
    try {
      snapshot = steps[from]?.document({ src, snapshot }) ?? snapshot
    } catch (cause) {
      const versions = `from schema ${from} to ${from + 1} (${thrownText(cause)})`
      throw new SnapshotError(runId, `its document could not be migrated ${versions}`, { cause })
    }
  }
  return snapshot
}

/** The interpreter would accept a run that is over, in any state, and do nothing with it. */
function checkRoot(runId: string, { status, value }: StoredActor): void {
  const expected = topLevelState(value ?? '') === 'done' ? 'done' : 'active'
  if (status === expected) return
  throw new SnapshotError(runId, `its document says "${status}" but its state requires "${expected}"`)
}

function isOpenCalls(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord)
}

/** Returns a call's row as JSON text. */
export function encodeChild({ src, snapshot }: StoredChild): string {
  return JSON.stringify({ schema: documentSchema, src, snapshot })
}

/** Reads a row. A row may be older than the document that names it. */
function parseChild(runId: string, text: string, steps: Migrations): StoredChild {
  const value = readJson(runId, text)
  if (!isChild(value)) throw new SnapshotError(runId, "a call's row lacks a snapshot")
  const { schema } = value as { readonly schema?: unknown }
  if (typeof schema !== 'number') throw new SnapshotError(runId, "a call's row does not name its schema")
  checkSchema(runId, schema, steps)
  return { src: value.src, snapshot: migrated(runId, value, schema, steps) }
}

function isChild(value: unknown): value is StoredChild {
  return isRecord(value) && typeof value['src'] === 'string' && isActor(value['snapshot'])
}

const statuses: readonly unknown[] = ['active', 'done', 'error', 'stopped']

function isActor(value: unknown): value is StoredActor {
  if (!isRecord(value) || !statuses.includes(value['status'])) return false
  const { context, children } = value
  if (context !== undefined && !isRecord(context)) return false
  return children === undefined || (isRecord(children) && Object.values(children).every(isChild))
}

/** A `__proto__` key would become a real prototype at the first assign and could open a guard. */
function readJson(runId: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new SnapshotError(runId, 'its document is not readable JSON', { cause })
  }
}

/** The fields of an open call's record that changed since its slot was reserved; `status` only without an actor. */
export type OpenCall = Partial<Pick<CallRecord, 'status' | 'revision' | keyof Gained>>

/** The fields that a reserved record lacks. */
type Gained = Pick<CallRecord, 'editedArguments' | 'suspension' | 'placeholder' | 'result' | 'resultSeq' | 'patch'>

/** The changed fields by call id. A call that is only running has an actor and no entry here. */
export type OpenCalls = { readonly [callId: string]: OpenCall }

/** Returns the fields of open calls for a checkpoint, because their rows will be overwritten. */
function openCallsOf(records: readonly CallRecord[], { children = {} }: StoredActor): OpenCalls {
  const entries = records.flatMap((record): readonly [string, OpenCall][] => {
    const { callId, status, revision, editedArguments, suspension, placeholder, resultSeq, patch } = record
    const result = resultSeq === undefined ? record.result : undefined
    const gained = { editedArguments, suspension, placeholder, result, resultSeq, patch }
    const known = Object.entries(gained).filter(([, value]) => value !== undefined)
    const open: OpenCall = {
      ...(children[callId] === undefined ? { status } : {}),
      ...(revision === 0 ? {} : { revision }),
      ...Object.fromEntries(known),
    }
    return Object.keys(open).length === 0 ? [] : [[callId, open]]
  })
  return Object.fromEntries(entries)
}

/** Returns a log with its calls as they were at a checkpoint, from a log whose call rows may have changed since. */
export function logAsOf(log: readonly LogEntry[], root: StoredActor, calls: OpenCalls): readonly LogEntry[] {
  return withResults(
    log.map((entry) => (entry.kind === 'call' ? { ...entry, call: callAsOf(entry.call, root, calls) } : entry)),
  )
}

/** A call that has no actor and is not open was published before the checkpoint and is final. */
function callAsOf(call: CallRecord, { children = {} }: StoredActor, calls: OpenCalls): CallRecord {
  const {
    editedArguments: _,
    suspension: __,
    placeholder: ___,
    result: ____,
    resultSeq: _____,
    patch: ______,
    steps: _______,
    ...reserved
  } = call
  const actor = children[call.callId]?.snapshot
  const open = calls[call.callId]
  if (actor === undefined && open === undefined) return call
  return {
    ...reserved,
    revision: 0,
    ...(actor === undefined ? {} : { status: topLevelState(actor.value) as CallStatus }),
    ...open,
  }
}
