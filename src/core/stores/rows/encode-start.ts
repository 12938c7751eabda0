import { aboutIn, type StoredDecision } from '../../domain/inbox.ts'
import type { Owner } from '../../domain/owner.ts'
import type { FirstCommit, NewRun, QueuedStart } from '../../ports/store.ts'
import { type CommitKeeping, type EncodedCommit, encodeFirst } from './encode-commit.ts'
import { type KeptJson, stringifyJson } from './json-text.ts'
import type { InboxTextRow, KeptItem } from './stored-rows.ts'

/**
 * A row of an inbox, before it has its id. A decision's row has the ids of the decision and of its suspension, and no
 * files.
 */
export interface NewInboxRow<Body = string>
  extends Pick<InboxTextRow, 'kind' | 'callId' | 'at'>, Partial<Pick<KeptItem<Body>, 'files'>> {
  readonly decisionId?: string
  readonly suspensionId?: string | null
  readonly body: Body
}

/** The encoded beginning of a run. */
export interface EncodedStart<Body> {
  readonly rows: readonly NewInboxRow<Body>[]
  /** The commit, made from the ids that the rows got. */
  readonly commit: (ids: readonly number[]) => EncodedCommit
}

/** Encodes the data with which a run is created. */
export function encodeStart<Body extends KeptJson>(
  runId: string,
  first: FirstCommit | QueuedStart,
  owner: Owner,
  { keeping, keepItem }: { readonly keeping: () => CommitKeeping; readonly keepItem: KeepItem<Body> },
): EncodedStart<Body> {
  if (!('posted' in first)) {
    const encoded = encodeFirst(runId, first, owner, keeping())
    return { rows: [], commit: () => encoded }
  }
  const { commit } = first
  const rows = encodePosted(first.posted, keepItem)
  return { rows, commit: (ids) => encodeFirst(runId, commit(ids), owner, keeping()) }
}

/** Encodes an item of an inbox. */
export type KeepItem<Body> = (item: unknown, what: string) => KeptItem<Body>

/** Encodes rows of an inbox. */
export function encodePosted<Body extends KeptJson>(
  posted: QueuedStart['posted'],
  keepItem: KeepItem<Body>,
): readonly NewInboxRow<Body>[] {
  return posted.map(({ item, at }) => ({
    kind: item.kind,
    callId: aboutIn(item),
    ...keepItem(item, `The ${item.kind} item`),
    at,
  }))
}

/** Returns the encoded row of a decision. */
export function rowOfDecision<Body extends KeptJson>(
  decision: StoredDecision,
  keepItem: (item: unknown, what: string) => Body,
): NewInboxRow<Body> {
  const { decisionId, callId, suspensionId, at } = decision
  const body = keepItem({ kind: 'decision', decision }, `Decision "${decisionId}"`)
  return { kind: 'decision', decisionId, callId, suspensionId, body, at }
}

/** Returns the columns by which a new run is found: its session, subject, labels and prompt. */
export function foundBy({ id, session, subject, labels, prompt }: NewRun): readonly (string | null)[] {
  const texts = labels === undefined ? null : stringifyJson(labels, `The labels of run "${id}"`)
  return [session ?? null, subject ?? null, texts, prompt ?? null]
}
