import { frozenCopy, isRecord } from '../domain/text/json.ts'
import type { PlainRun } from './plain-run.ts'

/** Stores the messages of an event beside the chart and replaces them by a head, because a bare actor has no inbox. */
export function asHead(event: unknown, run: Pick<PlainRun, 'keepSaid'>): unknown {
  if (!isRecord(event) || event['type'] !== 'message.queued' || !isRecord(event['queued'])) return event
  const { messages, ...head } = event['queued']
  if (!Array.isArray(messages)) return event
  return { ...event, queued: { ...head, inboxId: run.keepSaid(frozenCopy(messages) ?? messages) } }
}
