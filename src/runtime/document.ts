import type { CallRecord, CallStatus } from '../domain/call.ts'
import type { LogEntry } from '../domain/log.ts'
import { type ContextDefaults, reviveActor, type StoredActor, type StoredChild, topLevelState } from './persist.ts'
import { isRecord, type JsonObject } from '../domain/json.ts'
import { parseJson } from '../domain/parse-json.ts'
import type { StoredRun } from '../ports/store.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'

/** Version of the document's shape and of the charts it was written by; raised with either. */
const schemaVersion = 1

/** Turns a document of one schema into the next; by the schema it starts from. */
export type Migrations = { readonly [schema: number]: (document: JsonObject) => JsonObject }

/** None yet: schema 1 is the first. */
const migrations: Migrations = {}

/** What a commit keeps of a live run beside its log. */
export interface RunDocument {
  readonly schema: number
  /** Number the next log entry gets. */
  readonly nextSeq: number
  readonly root: StoredActor
  /** Calls whose actors stand in their own rows, in a document between checkpoints. */
  readonly rows?: readonly string[]
  /** What the records of open calls held, in a checkpoint: their rows will be written over. */
  readonly calls?: OpenCalls
}

/** A document read back, complete. */
export interface LoadedDocument {
  readonly nextSeq: number
  readonly snapshot: JsonObject
}

/** JSON text of a checkpoint's document: everything in one piece, so that it can be read and forked alone. */
export function encodeCheckpoint(root: StoredActor, nextSeq: number, open: readonly CallRecord[]): string {
  const calls = openCallsOf(open, root)
  return JSON.stringify({
    schema: schemaVersion,
    nextSeq,
    root,
    ...(Object.keys(calls).length === 0 ? {} : { calls }),
  } satisfies RunDocument)
}

/** JSON text of a commit between checkpoints: the calls are left to their rows. */
export function encodeInterim(root: StoredActor, nextSeq: number, rowSource: string): string {
  const children = Object.entries(root.children ?? {})
  const isRow = ([, child]: [string, StoredChild]) => child.src === rowSource
  return JSON.stringify({
    schema: schemaVersion,
    nextSeq,
    root: { ...root, children: Object.fromEntries(children.filter((child) => !isRow(child))) },
    rows: children.filter(isRow).map(([id]) => id),
  } satisfies RunDocument)
}

/** Puts the newest stored pieces together; undefined for a run that never committed. */
export function decodeRun(run: StoredRun, defaults: ContextDefaults): LoadedDocument | undefined {
  const { checkpoint, document, calls } = run
  const text = document ?? checkpoint?.document
  const { id, forkedFrom } = run.record
  // A fork is created with its start. One without would begin anew and do what the original did again.
  if (text === undefined && forkedFrom !== undefined) {
    throw new SnapshotError(id, 'it is a fork whose start was never stored; delete it and fork again')
  }
  if (text === undefined) return undefined
  const { nextSeq, root, rows } = parseDocument(id, text)
  if (rows === undefined) return { nextSeq, snapshot: reviveActor(root, 'root', defaults) }
  const base = checkpoint === null ? undefined : parseDocument(id, checkpoint.document)
  const actors = rows.map((callId): [string, StoredChild] => {
    const row = calls.find(({ record }) => record.callId === callId)
    if (row !== undefined && row.document !== null && row.version > (checkpoint?.version ?? 0)) {
      return [callId, parseChild(id, row.document)]
    }
    const child = base?.root.children?.[callId]
    if (child === undefined) throw new SnapshotError(id, `nothing is stored of its call "${callId}"`)
    return [callId, child]
  })
  const whole = { ...root, children: { ...root.children, ...Object.fromEntries(actors) } }
  return { nextSeq, snapshot: reviveActor(whole, 'root', defaults) }
}

/** Reads a document, refusing what is not one or was written by another version. */
export function parseDocument(runId: string, text: string, steps: Migrations = migrations): RunDocument {
  const value = migrate(readJson(runId, text), steps)
  if (!isRecord(value) || typeof value['schema'] !== 'number') {
    throw new SnapshotError(runId, 'its document is not one of statewright')
  }
  if (value['schema'] !== schemaVersion) {
    const versions = `schema ${value['schema']}, this version reads schema ${schemaVersion}`
    throw new SnapshotError(runId, `its document has ${versions}; drive it with the version that wrote it`)
  }
  if (!isActor(value['root']) || typeof value['nextSeq'] !== 'number') {
    throw new SnapshotError(runId, 'its document lacks a snapshot')
  }
  if (value['calls'] !== undefined && !isOpenCalls(value['calls'])) {
    throw new SnapshotError(runId, 'what its document keeps of open calls is not readable')
  }
  const document = value as unknown as RunDocument
  checkRoot(runId, document.root)
  return document
}

/** The interpreter takes up a run that is over, whatever its state says, and does nothing with it. */
function checkRoot(runId: string, { status, value }: StoredActor): void {
  const expected = topLevelState(value ?? '') === 'done' ? 'done' : 'active'
  if (status === expected) return
  throw new SnapshotError(runId, `its document says "${status}" where its state asks for "${expected}"`)
}

function isOpenCalls(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord)
}

/** An older document is brought forward step by step, as far as there are steps. */
function migrate(value: unknown, steps: Migrations): unknown {
  let document = value
  while (isRecord(document) && typeof document['schema'] === 'number' && document['schema'] < schemaVersion) {
    const { schema } = document
    const step = steps[schema]
    if (step === undefined) return document
    document = { ...step(document as JsonObject), schema: schema + 1 }
  }
  return document
}

function parseChild(runId: string, text: string): StoredChild {
  const value = readJson(runId, text)
  if (!isChild(value)) throw new SnapshotError(runId, "a call's row lacks a snapshot")
  return value
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

/** A `__proto__` key would become a real prototype on the first assign and could open a guard. */
function readJson(runId: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new SnapshotError(runId, 'its document is not readable JSON', { cause })
  }
}

/** What the record of an open call holds beyond what it was reserved with; its status only where no actor tells it. */
export type OpenCall = Partial<Pick<CallRecord, 'status' | 'revision' | keyof Gained>>

/** Fields a record has none of when its slot is reserved. */
type Gained = Pick<CallRecord, 'editedArguments' | 'suspension' | 'placeholder' | 'result' | 'patch'>

/** By call id; a call that only runs has an actor and nothing here. */
export type OpenCalls = { readonly [callId: string]: OpenCall }

/** What a checkpoint keeps of open calls beside their actors, since their rows will be written over. */
function openCallsOf(records: readonly CallRecord[], { children = {} }: StoredActor): OpenCalls {
  const entries = records.flatMap((record): readonly [string, OpenCall][] => {
    const { callId, status, revision, editedArguments, suspension, placeholder, result, patch } = record
    const gained = { editedArguments, suspension, placeholder, result, patch }
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

/** A log whose calls are as they were at a checkpoint, from one whose rows may have been written over since. */
export function logAsOf(log: readonly LogEntry[], root: StoredActor, calls: OpenCalls): readonly LogEntry[] {
  return log.map((entry) => (entry.kind === 'call' ? { ...entry, call: callAsOf(entry.call, root, calls) } : entry))
}

/** A call neither acting nor open was published by then, and nothing of it changes any more. */
function callAsOf(call: CallRecord, { children = {} }: StoredActor, calls: OpenCalls): CallRecord {
  const {
    editedArguments: _,
    suspension: __,
    placeholder: ___,
    result: ____,
    patch: _____,
    steps: ______,
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
