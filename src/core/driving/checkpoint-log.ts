import { runMigrations } from '../../../machines/run/run.schema.ts'
import type { InboxRow } from '../domain/inbox.ts'
import type { LogEntry } from '../domain/log.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import { logAsOf, parseDocument, type RunDocument } from '../runtime/document.ts'
import { readQueuedRows } from '../runtime/read-queued-rows.ts'

/** A run in its state at a checkpoint. */
export interface FoundRun {
  readonly document: RunDocument
  /** The entries up to the checkpoint, with the calls in their states at that checkpoint. */
  readonly log: readonly LogEntry[]
  /** Rows of the inbox that the queue of the run may name. */
  readonly inbox: readonly InboxRow[]
  /** The last entry before the first open call and its answer; the run continues from it. */
  readonly lastSettled: number
  /** Returns true if a call was open. */
  readonly isOpen: (callId: string) => boolean
}

/**
 * Reads a run's state at a checkpoint. Throws a `StoreError` `run_unknown` for an unknown checkpoint, and a
 * `SnapshotError` for an unreadable one.
 */
export async function runAtCheckpoint(store: Store, source: StoredRun, version: number): Promise<FoundRun> {
  const { checkpoint, record } = source
  if (checkpoint === null) {
    throw new StoreError('run_unknown', `Run "${record.id}" has no checkpoint ${version}. List them with history().`)
  }
  const inbox = await readQueuedRows(store, source)
  const document = parseDocument(record.id, checkpoint.document, runMigrations)
  const { root, calls = {} } = document
  const isOpen = (callId: string) => Object.hasOwn(calls, callId) || root.children?.[callId] !== undefined
  const log = logAsOf(source.log, root, calls)
  const [open] = log.flatMap((entry) => (entry.kind === 'call' && isOpen(entry.call.callId) ? entry.call : []))
  const firstOpen = open?.isHold === true ? open.seq : (open?.messageSeq ?? checkpoint.seq)
  return { document, log, inbox, isOpen, lastSettled: firstOpen - 1 }
}
