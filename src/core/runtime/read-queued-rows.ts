import { type InboxRow, saidKinds } from '../domain/inbox.ts'
import type { Store, StoredRun } from '../ports/store.ts'

/** Returns the inbox rows that the state of a stored run may name. Reads nothing if the state names none. */
export async function readQueuedRows(
  store: Store,
  { record, checkpoint, document }: Pick<StoredRun, 'record' | 'checkpoint' | 'document'>,
): Promise<readonly InboxRow[]> {
  const text = document ?? checkpoint?.document ?? ''
  return text.includes('"queue":') ? store.inbox(record.id, { kinds: saidKinds }) : []
}
