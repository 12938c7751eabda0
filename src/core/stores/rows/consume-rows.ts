import { consumes, type EncodedCommit, isRefusing, isResting, misuse } from './encode-commit.ts'
import type { InboxTextRow } from './stored-rows.ts'

/** Returns true for a commit that changes rows of the inbox, or that an unread row may refuse. */
export function readsInbox(commit: EncodedCommit): boolean {
  const { consumed, emptied, settled } = commit
  return isResting(commit) || [consumed, emptied, settled].some(({ length }) => length > 0)
}

/**
 * Returns the rows of an inbox that a commit changes, by their position, or `refused` if an unread row refuses the
 * commit. A kept decision that now answers a suspension is also refused while another row for its call is unread.
 * Throws a RangeError for a row that the commit cannot consume or empty. `inbox` has at least the unread rows, those
 * that the commit names, and those that answered a suspension which the commit names.
 */
export function consumeRows(
  inbox: readonly InboxTextRow[],
  commit: EncodedCommit,
): ReadonlyMap<number, InboxTextRow> | 'refused' {
  const changed = new Map<number, InboxTextRow>()
  if (!readsInbox(commit)) return changed
  if (inbox.some((row) => row.consumed === null && isRefusing(commit, row))) return 'refused'
  for (const { id, suspensionId = null } of commit.consumed) {
    const index = inbox.findIndex((candidate) => candidate.id === id)
    const row = inbox[index]
    const isKept = row?.kind === 'decision' && row.suspensionId === null
    if (row === undefined || changed.has(index) || (row.consumed !== null && !(isKept && suspensionId !== null)))
      throw misuse(commit.runId, `it consumes inbox row ${id}, which the run does not have or has consumed already`)
    const gained = isKept ? suspensionId : null
    if (gained !== null) {
      const isUnread = (other: InboxTextRow) =>
        other.callId === row.callId && other.consumed === null && !consumes(commit, other.id)
      if (inbox.some(isUnread)) return 'refused'
      const isRival = (other: InboxTextRow) => other.id !== id && other.suspensionId === gained
      if ([...inbox, ...changed.values()].some(isRival)) {
        const what = `it consumes inbox row ${id} as the answer to suspension "${gained}", which another row answered`
        throw misuse(commit.runId, what)
      }
    }
    const suspension = gained ?? row.suspensionId
    changed.set(index, { ...row, consumed: row.consumed ?? commit.version, suspensionId: suspension })
  }
  for (const id of commit.emptied) {
    const index = inbox.findIndex((row) => row.id === id)
    const row = changed.get(index) ?? inbox[index]
    if (row?.kind !== 'steer' && row?.kind !== 'followUp')
      throw misuse(commit.runId, `it empties inbox row ${id}, which is no steering and no follow-up of the run`)
    changed.set(index, { ...row, body: JSON.stringify({ kind: row.kind, messages: [] }) })
  }
  return changed
}
