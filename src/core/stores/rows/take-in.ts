import { saidKinds } from '../../domain/inbox.ts'
import {
  consumes,
  type EncodedCommit,
  isLateAnswer,
  noSuchInboxRow,
  nothingSaidIn,
  refusedItem,
  suspensionTaken,
} from './encode-commit.ts'
import type { InboxTextRow } from './stored-rows.ts'

/**
 * The rows of an inbox as a commit leaves those that it takes in, by their place; throws where one is not there to be
 * taken in. Refused while another row for the call of a kept decision is unread, where that decision comes to answer.
 */
export function consume(
  inbox: readonly InboxTextRow[],
  commit: EncodedCommit,
): ReadonlyMap<number, InboxTextRow> | 'refused' {
  const changed = new Map<number, InboxTextRow>()
  for (const { id, suspensionId } of commit.consumed) {
    const index = inbox.findIndex((candidate) => candidate.id === id)
    const row = inbox[index]
    if (row === undefined || changed.has(index)) throw noSuchInboxRow(commit, id)
    if (row.consumed !== null && !isLateAnswer(row, suspensionId)) throw noSuchInboxRow(commit, id)
    const gained = row.kind === 'decision' && row.suspensionId === null ? (suspensionId ?? null) : row.suspensionId
    if (gained !== null && gained !== row.suspensionId) {
      const isUnread = (other: InboxTextRow) =>
        other.callId === row.callId && other.consumed === null && !consumes(commit, other.id)
      if (inbox.some(isUnread)) return 'refused'
      const isRival = (other: InboxTextRow) => other.id !== id && other.suspensionId === gained
      if ([...inbox, ...changed.values()].some(isRival)) throw suspensionTaken(commit, id, gained)
    }
    changed.set(index, { ...row, consumed: row.consumed ?? commit.version, suspensionId: gained })
  }
  return changed
}

/** The rows of what was refused, without its messages, by their place in the inbox. */
export function emptied(
  inbox: readonly InboxTextRow[],
  consumed: ReadonlyMap<number, InboxTextRow>,
  commit: EncodedCommit,
): readonly (readonly [number, InboxTextRow])[] {
  return commit.emptied.map((id) => {
    const index = inbox.findIndex((row) => row.id === id)
    const row = consumed.get(index) ?? inbox[index]
    if (row === undefined || !saidKinds.has(row.kind)) throw nothingSaidIn(commit, id)
    return [index, { ...row, body: JSON.stringify(refusedItem(row.kind)) }]
  })
}
