import { aboutIn } from '../../domain/inbox.ts'
import type { Owner } from '../../domain/owner.ts'
import type { FirstCommit, QueuedStart } from '../../ports/store.ts'
import { type EncodedCommit, encodeFirst } from './encode-commit.ts'
import type { KeepJson, KeptJson } from './json-text.ts'
import type { InboxTextRow } from './stored-rows.ts'

/** A row of the inbox that a run is created with, before it has its id. */
export type FirstRow<Body> = Pick<InboxTextRow, 'kind' | 'callId'> & { readonly body: Body; readonly at: number }

/** The encoded beginning of a run. */
export interface EncodedStart<Body> {
  readonly rows: readonly FirstRow<Body>[]
  /** The commit, made from the ids that the rows got. */
  readonly commit: (ids: readonly number[]) => EncodedCommit
}

/** Keeps what a run is created with. */
export function encodeStart<Body extends KeptJson>(
  runId: string,
  first: FirstCommit | QueuedStart,
  owner: Owner,
  { keep, keepItem }: { readonly keep?: KeepJson; readonly keepItem: (item: unknown, what: string) => Body },
): EncodedStart<Body> {
  if (!('posted' in first)) {
    const encoded = encodeFirst(runId, first, owner, keep)
    return { rows: [], commit: () => encoded }
  }
  const { commit } = first
  const rows = encodePosted(first.posted, keepItem)
  return { rows, commit: (ids) => encodeFirst(runId, commit(ids), owner, keep) }
}

/** Rows of an inbox, as they are kept. */
export function encodePosted<Body extends KeptJson>(
  posted: QueuedStart['posted'],
  keepItem: (item: unknown, what: string) => Body,
): readonly FirstRow<Body>[] {
  return posted.map(({ item, at }) => ({
    kind: item.kind,
    callId: aboutIn(item),
    body: keepItem(item, `The ${item.kind} item`),
    at,
  }))
}

/** Computes a value now. The returned function returns it, or throws the exception of the computation. */
export function attempt<Result>(work: () => Result): () => Result {
  try {
    const result = work()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
