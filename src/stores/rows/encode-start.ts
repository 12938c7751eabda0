import type { Owner } from '../../domain/owner.ts'
import type { FirstCommit, QueuedStart } from '../../ports/store.ts'
import { type EncodedCommit, encodeFirst } from './encode-commit.ts'
import type { KeepJson, KeptJson } from './json-text.ts'
import type { InboxTextRow } from './stored-rows.ts'

/** A row of the inbox that a run is created with, before it has its id. */
export type FirstRow<Body> = Pick<InboxTextRow, 'kind' | 'callId'> & { readonly body: Body; readonly at: number }

/**
 * Keeps what a run is created with. The function it gives stores the rows of it by `post`, which gives their ids, and
 * makes the commit.
 */
export function encodeStart<Body extends KeptJson>(
  runId: string,
  first: FirstCommit | QueuedStart,
  owner: Owner,
  { keep, keepItem }: { readonly keep?: KeepJson; readonly keepItem: (item: unknown, what: string) => Body },
): (post: (row: FirstRow<Body>) => number) => EncodedCommit {
  if (!('posted' in first)) {
    const encoded = encodeFirst(runId, first, owner, keep)
    return () => encoded
  }
  const { commit } = first
  const rows = encodePosted(first.posted, keepItem)
  return (post) => encodeFirst(runId, commit(rows.map(post)), owner, keep)
}

/** Rows of an inbox, as they are kept. */
export function encodePosted<Body extends KeptJson>(
  posted: QueuedStart['posted'],
  keepItem: (item: unknown, what: string) => Body,
): readonly FirstRow<Body>[] {
  return posted.map(({ item, at }) => ({
    kind: item.kind,
    callId: item.kind === 'cancelCall' ? item.callId : null,
    body: keepItem(item, `The ${item.kind} item`),
    at,
  }))
}
