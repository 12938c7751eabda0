import { frozenCopy, isRecord } from '../domain/text/json.ts'
import type { PlainRun } from './plain-run.ts'

/** A bare actor has no inbox: what is said to it is kept beside its chart, which hears of it by a head. */
export function asHead(event: unknown, run: Pick<PlainRun, 'keepSaid'>): unknown {
  if (!isRecord(event) || event['type'] !== 'message.queued' || !isRecord(event['queued'])) return event
  const { messages, ...head } = event['queued']
  if (!Array.isArray(messages)) return event
  return { ...event, queued: { ...head, inboxId: run.keepSaid(frozenCopy(messages) ?? messages) } }
}
