import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import type { Decision } from '../../../src/core/domain/decision.ts'
import { judgeDecisions } from '../../../src/core/domain/judge-decisions.ts'

const call = (name: string, resumeMode: CallRecord['resumeMode']): CallRecord => ({
  seq: 2,
  callId: `1.${name}`,
  toolCallId: name,
  toolName: 'act',
  messageSeq: 1,
  status: 'suspended',
  revision: 0,
  resumeMode,
  suspension: { id: `s-${name}`, reason: 'approval' },
})

const calls = [call('a', 'replay'), call('b', 'use-as-result')]
const given = (...decisions: readonly Decision[]) =>
  judgeDecisions(
    decisions.map((decision) => ({ decision })),
    { calls, decisions: [], cancelled: [], now: 1 },
  )
const used = 'Decision id "same" was used for call "1.a". Give each decision its own id.'

test.each<[string, Decision]>([
  ['fits', { target: '1.b', decisionId: 'same', action: 'resume', result: 'b' }],
  ['is a cancel', { target: '1.b', decisionId: 'same', action: 'cancel' }],
  ['has a payload its mode does not read', { target: '1.b', decisionId: 'same', action: 'resume', input: { n: 1 } }],
])('DEC-06 reports an id as used if another call was answered under it and the decision %s', (_what, other) => {
  const { receipts, rows } = given({ target: '1.a', decisionId: 'same', action: 'resume' }, other)
  expect(receipts).toEqual([
    { target: '1.a', answer: 'applied', decisionId: 'same' },
    { target: '1.b', answer: 'duplicate', message: used, decisionId: 'same' },
  ])
  expect(rows.map(({ callId }) => callId)).toEqual(['1.a'])
})

test('DEC-06 refuses a payload that the mode does not read, with or without its own id', () => {
  for (const decisionId of ['own', undefined]) {
    const id = decisionId === undefined ? {} : { decisionId }
    const { receipts, rows } = given({ target: '1.b', ...id, action: 'resume', input: { n: 1 } })
    expect(receipts).toMatchObject([{ target: '1.b', answer: 'refused' }])
    expect(rows).toEqual([])
  }
})
