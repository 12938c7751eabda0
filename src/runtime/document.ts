import type { Json } from '../domain/json.ts'
import type { StoredRun } from '../ports/store.ts'
import { SnapshotError } from './snapshot-error.ts'
import type { PersistedRoot } from './stepper.ts'

/** Version of the document's shape and of the charts it was written by; raised with either. */
export const schemaVersion = 1

/** What a commit keeps of a live run beside its log. */
export interface RunDocument {
  readonly schema: number
  /** Number the next log entry gets. */
  readonly nextSeq: number
  readonly snapshot: PersistedRoot
  /** Calls whose snapshots stand in their own rows, in a document between checkpoints. */
  readonly rows?: readonly string[]
}

/** A document read back, and the rows it is completed with. */
export interface LoadedDocument {
  readonly nextSeq: number
  readonly snapshot: Json
}

/** JSON text of a checkpoint's document: everything in one piece, so that it can be read and forked alone. */
export function encodeCheckpoint(snapshot: PersistedRoot, nextSeq: number): string {
  return JSON.stringify({ schema: schemaVersion, nextSeq, snapshot })
}

/** JSON text of a commit between checkpoints: the calls are left to their rows. */
export function encodeInterim(snapshot: PersistedRoot, nextSeq: number, rowSource: string): string {
  const children = Object.entries(snapshot.children)
  const isRow = ([, child]: (typeof children)[number]) => child.src === rowSource
  return JSON.stringify({
    schema: schemaVersion,
    nextSeq,
    snapshot: { ...snapshot, children: Object.fromEntries(children.filter((child) => !isRow(child))) },
    rows: children.filter(isRow).map(([id]) => id),
  })
}

/** Puts the newest stored pieces together; undefined for a run that never committed. */
export function decodeRun(run: StoredRun): LoadedDocument | undefined {
  const { checkpoint, document, calls } = run
  const text = document ?? checkpoint?.document
  if (text === undefined) return undefined
  const latest = parseDocument(run.record.id, text)
  if (latest.rows === undefined) return { nextSeq: latest.nextSeq, snapshot: toJson(latest.snapshot) }
  const base = checkpoint === null ? undefined : parseDocument(run.record.id, checkpoint.document)
  const rows = latest.rows.map((callId): [string, unknown] => {
    const row = calls.find(({ record }) => record.callId === callId)
    if (row?.document !== null && row !== undefined && row.version > (checkpoint?.version ?? 0)) {
      return [callId, parseJson(run.record.id, row.document)]
    }
    const child = base?.snapshot.children[callId]
    if (child === undefined) throw new SnapshotError(run.record.id, `nothing is stored of its call "${callId}"`)
    return [callId, child]
  })
  const snapshot = { ...latest.snapshot, children: { ...latest.snapshot.children, ...Object.fromEntries(rows) } }
  return { nextSeq: latest.nextSeq, snapshot: toJson(snapshot) }
}

/** Reads a document, refusing what is not one or was written by another version. */
export function parseDocument(runId: string, text: string): RunDocument {
  const value = parseJson(runId, text)
  if (!isRecord(value) || typeof value['schema'] !== 'number') {
    throw new SnapshotError(runId, 'its document is not one of statewright')
  }
  if (value['schema'] !== schemaVersion) {
    const wish = `schema ${value['schema']}, this version reads schema ${schemaVersion}`
    throw new SnapshotError(runId, `its document has ${wish}; drive it with the version that wrote it`)
  }
  const { snapshot, nextSeq, rows } = value
  if (!isRecord(snapshot) || !isRecord(snapshot['children']) || typeof nextSeq !== 'number') {
    throw new SnapshotError(runId, 'its document lacks a snapshot')
  }
  return value as unknown as RunDocument & { rows: typeof rows }
}

function parseJson(runId: string, text: string): unknown {
  try {
    return JSON.parse(text, refusePrototype)
  } catch (cause) {
    throw new SnapshotError(runId, 'its document is not readable JSON', { cause })
  }
}

/** A `__proto__` key would become a real prototype on the first assign and could open a guard. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') throw new Error(`Key "${key}" is refused.`)
  return value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function toJson(value: unknown): Json {
  return value as Json
}
