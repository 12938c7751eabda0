import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import type { Decision } from '../../../src/core/domain/decision.ts'
import type { StoredDecision } from '../../../src/core/domain/inbox.ts'
import {
  type DecisionFacts,
  findContradiction,
  findOpenCall,
  judgeDecision,
} from '../../../src/core/domain/judge-decision.ts'

const call = (more: Partial<CallRecord> = {}): CallRecord => ({
  seq: 2,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 1,
  status: 'suspended',
  revision: 0,
  resumeMode: 'replay',
  suspension: { id: 's1', reason: 'approval' },
  ...more,
})
const stored = (more: Partial<StoredDecision> = {}): StoredDecision => ({
  target: '1.a',
  decisionId: 'd1',
  callId: '1.a',
  suspensionId: 's1',
  action: 'resume',
  at: 1,
  ...more,
})
const facts = (
  calls: readonly CallRecord[],
  decisions: readonly StoredDecision[] = [],
  cancelled: readonly string[] = [],
): DecisionFacts => ({
  calls,
  decisions,
  cancelled,
  now: 100,
})
const resume: Decision = { target: '1.a', action: 'resume' }
const cancel: Decision = { target: '1.a', action: 'cancel' }

/** The answer with its message, where it has one. */
function answerOf(decision: Decision, given: DecisionFacts): string {
  const { answer, message } = judgeDecision(decision, given).receipt
  return message === undefined ? answer : `${answer}: ${message}`
}

describe('a suspended call', () => {
  test.each(['1.a', 's1', 'a'])('DEC-06 accepts the first answer to its suspension, named as %s', (target) => {
    const { receipt, row } = judgeDecision({ target, action: 'cancel', reason: 'no' }, facts([call()]))
    const decisionId = expect.stringMatching(/^s1:[0-9a-f]{14}$/)
    expect(receipt).toEqual({ target, answer: 'applied', decisionId })
    expect(row).toEqual({
      target,
      action: 'cancel',
      reason: 'no',
      decisionId,
      callId: '1.a',
      suspensionId: 's1',
      at: 100,
    })
  })

  test.each<[string, Decision, DecisionFacts, string]>([
    ['the same answer again', resume, facts([call()], [stored()]), 'duplicate'],
    ['an answer of the same id', { ...cancel, decisionId: 'd1' }, facts([call()], [stored()]), 'duplicate'],
    ['another answer', cancel, facts([call()], [stored()]), 'stale: This suspension has been answered already.'],
    [
      'another answer while it is resuming',
      cancel,
      facts([call({ status: 'resuming' })], [stored()]),
      'stale: This suspension has been answered already.',
    ],
    [
      'an answer to a suspension before',
      { ...cancel, target: 's0' },
      facts([call()], [stored({ suspensionId: 's0' })]),
      'stale: This suspension has been answered already.',
    ],
    [
      'any answer once its cancel is stored',
      resume,
      facts([call()], [], ['1.a']),
      'stale: A cancel of call "1.a" is stored.',
    ],
    ['the same answer once its cancel is stored', resume, facts([call()], [stored()], ['1.a']), 'duplicate'],
    ['an answer where the cancel of another is stored', resume, facts([call()], [], ['1.b']), 'applied'],
    [
      'an answer that would be kept, once its cancel is stored',
      resume,
      facts([call({ status: 'running', suspension: undefined as never })], [], ['1.a']),
      'stale: A cancel of call "1.a" is stored.',
    ],
    ['an answer once it runs', resume, facts([call({ status: 'running' })]), 'stale: This suspension is over.'],
    ['an answer once it has settled', resume, facts([call({ status: 'failed' })]), 'stale: Call "1.a" has settled.'],
    ['the same answer once it has settled', resume, facts([call({ status: 'succeeded' })], [stored()]), 'duplicate'],
    [
      'an answer at its time of expiry',
      resume,
      facts([call({ suspension: { id: 's1', reason: 'input', expiresAt: 100 } })]),
      'stale: This suspension has expired.',
    ],
    [
      'an answer before its time of expiry',
      resume,
      facts([call({ suspension: { id: 's1', reason: 'input', expiresAt: 101 } })]),
      'applied',
    ],
    [
      'a result nobody reads',
      { ...resume, result: 1 },
      facts([call()]),
      'refused: A replayed call takes no "result". To give its result, answer with "respond".',
    ],
    ['a result by its own mode', { ...resume, result: 1, mode: 'use-as-result' }, facts([call()]), 'applied'],
    [
      'a result where the call asks for one',
      { ...resume, result: 0 },
      facts([call({ resumeMode: 'pass-to-tool' })]),
      'applied',
    ],
    ['a value for a hold', { ...resume, result: 1, mode: 'replay' }, facts([call({ isHold: true })]), 'applied'],
  ])('DEC-06 %s', (_, decision, given, expected) => {
    expect(answerOf(decision, given)).toBe(expected)
  })

  test('DEC-06 ignores a decision for another call', () => {
    expect(answerOf(cancel, facts([call()], [stored({ callId: '1.b', suspensionId: 's9' })]))).toBe('applied')
  })
})

describe('a call that has not suspended yet', () => {
  const fresh = call({ status: 'new', suspension: undefined as never })
  const kept = (more: Partial<StoredDecision> = {}) => stored({ suspensionId: null, ...more })

  test('DEC-06 keeps a decision for later, and each further one that differs from the last', () => {
    const first = judgeDecision(cancel, facts([fresh]))
    const id = first.receipt.decisionId ?? ''
    expect(first.receipt).toEqual({
      target: '1.a',
      answer: 'kept',
      decisionId: expect.stringMatching(/^1\.a:[0-9a-f]{14}$/),
    })
    expect(first.row).toMatchObject({ suspensionId: null, decisionId: id })
    const denied = kept({ action: 'cancel', decisionId: id })
    const approved = kept({ action: 'resume', decisionId: 'd2' })
    expect(answerOf(cancel, facts([fresh], [denied]))).toBe('duplicate')
    const again = judgeDecision(cancel, facts([fresh], [denied, approved])).receipt
    expect(again).toEqual({ target: '1.a', answer: 'kept', decisionId: `${id}:2` })
    const twice = [denied, approved, kept({ action: 'cancel', decisionId: `${id}:2` }), approved]
    expect(judgeDecision(cancel, facts([fresh], twice)).receipt.decisionId).toBe(`${id}:3`)
  })

  test('DEC-06 refuses a payload that would not be read', () => {
    expect(answerOf({ ...resume, result: 1 }, facts([fresh]))).toMatch(/^refused: A replayed call takes no/)
  })

  test('DEC-06 the last kept decision answers the first suspension, except for an interruption or a resume of a call whose sub-agent works', () => {
    const decisions = [kept(), kept({ action: 'cancel', decisionId: 'd2' })]
    expect(answerOf(cancel, facts([call()], decisions))).toBe('duplicate')
    expect(answerOf(resume, facts([call()], decisions))).toBe('stale: This suspension has been answered already.')
    const interrupted = call({ suspension: { id: 's1', reason: 'interrupted' } })
    expect(answerOf(cancel, facts([interrupted], decisions))).toBe('applied')
    const working = facts([call({ suspension: { id: 's1', reason: 'subAgent' } })], [kept()])
    expect(answerOf(resume, working)).toBe('applied')
    expect(answerOf(cancel, { ...working, decisions })).toBe('duplicate')
    const woken = [kept({ decisionId: 'family:c.end' }), kept({ decisionId: 'd3', mode: 'use-as-result', result: 1 })]
    expect(answerOf({ ...resume, mode: 'pass-to-tool' }, { ...working, decisions: woken })).toMatch(
      'stale: This suspension has',
    )
    expect(answerOf(cancel, facts([call({ suspension: { id: 's2', reason: 'input' } })], [stored(), kept()]))).toBe(
      'applied',
    )
  })
})

test.each<[readonly CallRecord[], string]>([
  [[], 'unknown: No call or suspension "x" in this run. No call of this run is suspended.'],
  [
    [call(), call({ callId: '1.b' }), call({ callId: '1.c', status: 'running' })],
    'unknown: No call or suspension "x" in this run. Suspended calls: 1.a, 1.b.',
  ],
  [
    [call({ toolCallId: 'x' }), call({ callId: '2.a', toolCallId: 'x', status: 'failed' })],
    'unknown: No call or suspension "x" in this run. Suspended calls: 1.a.',
  ],
])('DEC-06 lists the suspended calls if a target is unknown: %#', (calls, expected) => {
  expect(answerOf({ target: 'x', action: 'resume' }, facts(calls))).toBe(expected)
})

test('DEC-06 finds the call that a decision may answer now', () => {
  const open = call()
  expect(findOpenCall('s1', facts([open]))).toBe(open)
  expect(findOpenCall('x', facts([open]))).toBeUndefined()
  expect(findOpenCall('1.a', facts([open], [stored()]))).toBeUndefined()
  expect(findOpenCall('1.a', facts([open], [], ['1.a']))).toBeUndefined()
  expect(findOpenCall('1.a', facts([call({ status: 'resuming' })]))).toBeUndefined()
  expect(findOpenCall('s0', facts([open], [stored({ suspensionId: 's0' })]))).toBeUndefined()
  const ticket = { id: 's1', reason: 'input' } as const
  expect(findOpenCall('1.a', facts([call({ suspension: { ...ticket, expiresAt: 100 } })]))).toBeUndefined()
  expect(findOpenCall('1.a', facts([call({ suspension: { ...ticket, expiresAt: 101 } })]))).toBeDefined()
})

test.each<[string, readonly Decision[], string | undefined]>([
  ['one', [resume], undefined],
  ['the same twice', [resume, { ...resume, target: 's1' }], undefined],
  ['two of one suspension', [resume, { ...cancel, target: 's1' }], 's1'],
  ['two of two calls', [resume, { ...cancel, target: '1.b' }], undefined],
  [
    'two of an unknown one',
    [
      { ...resume, target: 'x' },
      { ...cancel, target: 'x' },
    ],
    'x',
  ],
  [
    'two of a call that has not suspended',
    [
      { ...resume, target: '1.c' },
      { ...cancel, target: '1.c' },
    ],
    '1.c',
  ],
])('DEC-06 decisions that contradict each other: %s', (_, decisions, expected) => {
  const fresh = call({ callId: '1.c', status: 'new', suspension: undefined as never })
  const calls = [call(), call({ callId: '1.b', suspension: { id: 's2', reason: 'input' } }), fresh]
  expect(findContradiction(decisions, facts(calls))).toBe(expected)
})

test('DEC-06 accepts alternating yes and no as separate decisions, however often, until their call first suspends', () => {
  const { suspension: _, ...bare } = call({ status: 'running' })
  const rows: StoredDecision[] = []
  for (let turn = 0; turn < 8; turn++) {
    const { receipt, row } = judgeDecision(turn % 2 === 0 ? cancel : resume, facts([bare], rows))
    expect([turn, receipt.answer]).toEqual([turn, 'kept'])
    if (row !== undefined) rows.push(row)
  }
  expect(new Set(rows.map(({ decisionId }) => decisionId)).size).toBe(8)
})
