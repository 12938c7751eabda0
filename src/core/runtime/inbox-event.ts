import type { InboxRow } from '../domain/inbox.ts'
import { isWake, supersedes } from '../domain/kept-decision.ts'

/**
 * Returns the machine's event for an inbox row, even before its turn if the next reader of the transcript has not
 * started; returns undefined for rows that wait until a chart needs them.
 */
export function inboxEvent(
  { id, item }: Pick<InboxRow, 'id' | 'item'>,
  at: number,
  isEarly: boolean,
): { readonly type: string } | undefined {
  switch (item.kind) {
    case 'decision': {
      const { decisionId, callId, suspensionId, action, mode, reason } = item.decision
      const head = { inboxId: id, decisionId, callId, suspensionId, action }
      const decision = {
        ...head,
        ...(mode === undefined ? {} : { mode }),
        ...(reason === undefined ? {} : { reason }),
        ...(isWake(item.decision) ? { isWake: true } : {}),
      }
      return event({ type: 'decision.received', decision, at })
    }
    case 'cancel':
      return event({
        type: 'run.cancelRequested',
        ...(isEarly ? { isEarly } : {}),
        ...(item.reason === undefined ? {} : { why: item.reason }),
        at,
      })
    case 'cancelCall':
      return event({
        type: 'call.cancelRequested',
        callId: item.callId,
        text: item.reason ?? 'User cancelled the action',
        at,
      })
    case 'extension':
      return event({ type: 'message.posted', message: item.message, at })
    case 'steer':
    case 'followUp':
    case 'background':
      return event({ type: 'message.queued', queued: { kind: item.kind, inboxId: id }, at })
    case 'serviceAnswer':
      return undefined
  }
}

/** Returns true if a later decision is kept for the same call: the last one wins. */
export function isSuperseded({ item }: InboxRow, later: readonly InboxRow[]): boolean {
  if (item.kind !== 'decision' || item.decision.suspensionId !== null) return false
  const earlier = item.decision
  return later.some((row) => keptFor(row, earlier.callId).some((decision) => supersedes(decision, earlier)))
}

function keptFor({ item }: InboxRow, callId: string) {
  if (item.kind !== 'decision' || item.decision.callId !== callId || item.decision.suspensionId !== null) return []
  return [item.decision]
}

function event<E extends { readonly type: string }>(value: E): E {
  return value
}
