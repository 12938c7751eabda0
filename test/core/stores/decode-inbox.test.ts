import { describe, expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { decodeDecision, decodeInbox } from '../../../src/core/stores/rows/decode-rows.ts'
import type { InboxTextRow } from '../../../src/core/stores/rows/stored-rows.ts'

/** The error of a row that cannot be read, as a person sees it. */
function damageOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_damaged') return error.message
    throw error
  }
  return 'read'
}

describe('inbox', () => {
  const decision = { target: 't', decisionId: 'd', callId: '1.a', action: 'resume' }
  const inbox = (kind: string, body: object): InboxTextRow => ({
    id: 9,
    kind,
    decisionId: null,
    callId: null,
    suspensionId: 's',
    body: JSON.stringify({ kind, ...body }),
    at: 4,
    consumed: null,
  })

  test('CKP-09 a decision answers the suspension named by its column', () => {
    const item = { kind: 'decision', decision: { ...decision, suspensionId: 's' } }
    expect(decodeInbox('r', inbox('decision', { decision }))).toEqual({ id: 9, at: 4, item })
    expect(decodeDecision('r', inbox('decision', { decision }))).toEqual(item.decision)
    expect(damageOf(() => decodeDecision('r', inbox('cancel', {})))).toContain(
      'inbox row 9 is a cancel, not a decision.',
    )
  })

  test.each<[InboxTextRow, boolean]>([
    [inbox('cancel', {}), true],
    [inbox('serviceAnswer', { body: null }), true],
    [inbox('cancelCall', { callId: '1.a' }), true],
    [inbox('cancelCall', {}), false],
    [inbox('extension', { message: { role: 'extension', kind: 'a', data: null } }), true],
    [inbox('extension', { message: { role: 'user', kind: 'a', data: null } }), false],
    [inbox('extension', { message: { role: 'extension', data: null } }), false],
    [inbox('extension', { message: { role: 'extension', kind: 'a' } }), false],
    [inbox('extension', {}), false],
    [inbox('steer', { messages: [] }), true],
    [inbox('steer', {}), false],
    [inbox('followUp', { messages: [] }), true],
    [inbox('followUp', { messages: 1 }), false],
    [inbox('decision', {}), false],
    ...Object.keys(decision).map((key): [InboxTextRow, boolean] => [
      inbox('decision', { decision: { ...decision, [key]: 1 } }),
      false,
    ]),
    [inbox('wish', {}), false],
    [{ ...inbox('cancel', {}), kind: 'steer' }, false],
    [{ ...inbox('cancel', {}), body: '[]' }, false],
  ])('CKP-09 reads row %# or reports it as damaged: %s', (given, isRead) => {
    const what = isRead ? 'read' : `inbox row 9 is not an item of kind ${given.kind}.`
    expect(damageOf(() => decodeInbox('r', given))).toContain(what)
  })
})
