import { expect, test } from 'vitest'
import { userMessage } from '../../../src/core/domain/message.ts'
import type { InboxItem, InboxRow, StoredDecision } from '../../../src/core/domain/inbox.ts'
import { inboxEvent, isSuperseded } from '../../../src/core/runtime/inbox-event.ts'

const decision: StoredDecision = {
  target: 't',
  decisionId: 'd',
  callId: '1.a',
  suspensionId: 's',
  action: 'resume',
  input: 1,
  at: 3,
}
const head = { inboxId: 5, decisionId: 'd', callId: '1.a', suspensionId: 's', action: 'resume' }
const note = { role: 'extension', kind: 'note', data: 1, timestamp: 3 } as const
const row = (item: InboxItem): InboxRow => ({ id: 5, at: 3, item })

test.each<[InboxItem, boolean, object | undefined]>([
  [{ kind: 'decision', decision }, false, { type: 'decision.received', decision: head, at: 9 }],
  [
    { kind: 'decision', decision: { ...decision, mode: 'replay', reason: 'r' } },
    false,
    { type: 'decision.received', decision: { ...head, mode: 'replay', reason: 'r' }, at: 9 },
  ],
  [{ kind: 'cancel' }, false, { type: 'run.cancelRequested', at: 9 }],
  [{ kind: 'cancel' }, true, { type: 'run.cancelRequested', isEarly: true, at: 9 }],
  [
    { kind: 'cancelCall', callId: '1.a' },
    false,
    { type: 'call.cancelRequested', callId: '1.a', text: 'User cancelled the action', at: 9 },
  ],
  [
    { kind: 'cancelCall', callId: '1.a', reason: 'no' },
    false,
    { type: 'call.cancelRequested', callId: '1.a', text: 'no', at: 9 },
  ],
  [{ kind: 'serviceAnswer', body: { a: 1 } }, false, undefined],
  [
    { kind: 'steer', messages: [userMessage('x', 1)] },
    false,
    { type: 'message.queued', queued: { kind: 'steer', inboxId: 5 }, at: 9 },
  ],
  [
    { kind: 'followUp', messages: [userMessage('y', 1)] },
    false,
    { type: 'message.queued', queued: { kind: 'followUp', inboxId: 5 }, at: 9 },
  ],
  [{ kind: 'extension', message: note }, false, { type: 'message.posted', message: note, at: 9 }],
])('DEC-04 RUN-07 turns an inbox row into an event for the machine: %#', (item, isEarly, expected) => {
  expect(inboxEvent(row(item), 9, isEarly)).toEqual(expected)
})

test('DEC-06 the last of several kept decisions for one call wins', () => {
  const kept = (callId: string, suspensionId: string | null = null) =>
    row({ kind: 'decision', decision: { ...decision, callId, suspensionId } })
  expect(isSuperseded(kept('1.a'), [kept('1.b'), kept('1.a')])).toBe(true)
  expect(isSuperseded(kept('1.a'), [kept('1.b'), kept('1.a', 's'), row({ kind: 'cancel' })])).toBe(false)
  expect(isSuperseded(kept('1.a', 's'), [kept('1.a')])).toBe(false)
  expect(isSuperseded(row({ kind: 'cancel' }), [kept('1.a')])).toBe(false)
})

test('AGT-05 DEC-06 a kept cancel replaces the wake of a call, and no other kept decision does', () => {
  const kept = (decisionId: string, action: 'resume' | 'cancel' = 'resume') =>
    row({ kind: 'decision', decision: { ...decision, decisionId, action, suspensionId: null } })
  const wake = kept('family:r.1.sub.1.end')
  expect(isSuperseded(wake, [kept('d')])).toBe(false)
  expect(isSuperseded(wake, [kept('d'), kept('d', 'cancel')])).toBe(true)
  expect(inboxEvent(wake, 9, false)).toMatchObject({ decision: { isWake: true } })
})
