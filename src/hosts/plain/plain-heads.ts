import { runMigrations } from '../../../machines/run/run.schema.ts'
import { type InboxItem, type InboxRow, saidIn } from '../../domain/inbox.ts'
import { frozenCopy, isRecord, type Json, type JsonObject } from '../../domain/json.ts'
import type { InputMessage } from '../../domain/message.ts'
import type { GivenInput } from '../../domain/payload.ts'
import type { StoredActor } from '../../runtime/persist.ts'
import type { LogLink, PlainSaid } from './plain-log.ts'
import type { PlainRun } from './plain-run.ts'

/** A snapshot whose context names by heads what came into its run, and what they stand for. */
export interface HeadedSnapshot {
  readonly snapshot: JsonObject
  readonly given: GivenInput
  readonly said: readonly PlainSaid[]
}

/** A bare actor has no inbox: what is said to it is kept beside its chart, which hears of it by a head. */
export function asHead(event: unknown, run: Pick<PlainRun, 'keepSaid'>): unknown {
  if (!isRecord(event) || event['type'] !== 'message.queued' || !isRecord(event['queued'])) return event
  const { messages, ...head } = event['queued']
  if (!Array.isArray(messages)) return event
  return { ...event, queued: { ...head, inboxId: run.keepSaid(frozenCopy(messages) ?? messages) } }
}

/** A snapshot of an earlier version has messages in its context: they are kept beside it from now on. */
export function withHeads(
  snapshot: JsonObject,
  { given = { messages: [] }, said = [] }: Pick<LogLink, 'given' | 'said'>,
): HeadedSnapshot {
  const { context: found } = snapshot
  const context: { readonly [name: string]: unknown } = isRecord(found) ? found : {}
  const { input, value = null } = context
  const queue: readonly unknown[] = Array.isArray(context['queue']) ? context['queue'] : []
  const inline = queue.filter((queued) => isRecord(queued) && Array.isArray(queued['messages']))
  if (!Array.isArray(input) && inline.length === 0 && value === null) return { snapshot, given, said }
  const inbox = inline.map((item, index): InboxRow => ({ id: index + 1, item: item as InboxItem, at: 0 }))
  const stored = { src: 'root', snapshot: snapshot as unknown as StoredActor }
  const brought = runMigrations[2].document(stored, { inbox })
  const isWaiting = Array.isArray(input) && input.length > 0
  const messages = isWaiting ? (input as readonly InputMessage[]) : []
  return {
    snapshot: {
      ...brought,
      context: { ...brought.context, ...(isWaiting ? { input: 'row' } : {}) },
    } as unknown as JsonObject,
    given: { messages, ...(value === null ? {} : { value: value as Json }) },
    said: inbox.map((row): PlainSaid => ({ inboxId: row.id, messages: saidIn(row) })),
  }
}
