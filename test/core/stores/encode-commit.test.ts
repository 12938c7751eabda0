import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import type { Commit } from '../../../src/core/ports/store.ts'
import {
  changesRun,
  checkHead,
  checkSequence,
  encodeCommit,
  encodeFirst,
  isRefusing,
  isResting,
  maxSeq,
  receiptOf,
} from '../../../src/core/stores/rows/encode-commit.ts'
import { readsInbox, consumeRows } from '../../../src/core/stores/rows/consume-rows.ts'
import { writing } from '../../../src/core/domain/records/record-change.ts'

const record: CallRecord = {
  seq: 2,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 1,
  status: 'running',
  revision: 0,
  resumeMode: 'replay',
}
const message = { role: 'user', content: [{ type: 'text', text: 'Hi' }], timestamp: 1 } as const
const checkpoint: LogEntry = { kind: 'checkpoint', seq: 4, names: ['UserMessage'], document: 'whole', at: 9 }
const sending = writing()
const plain: Commit = {
  runId: 'r',
  owner: 'me',
  fence: 2,
  expectedVersion: 6,
  at: 9,
  status: 'running',
  append: [],
  calls: [],
  document: 'state',
  consumed: [],
}

const row = { version: 7, document: null, at: null, turn: null, place: null }

test('CKP-04 encodes a commit as rows of its version', () => {
  const encoded = encodeCommit({
    ...plain,
    status: 'waiting',
    outcome: { reason: 'error', code: 'c', error: { code: 'c', message: 'm' } },
    append: [
      { kind: 'message', seq: 1, message, at: 8, turn: 3, place: 5 },
      { kind: 'call', seq: 2, call: record },
      { kind: 'state', seq: 3, state: { a: 1 } },
      checkpoint,
    ],
    calls: [{ record, document: 'live' }],
    document: null,
    consumed: [{ id: 3 }],
    emptied: [4],
    timers: [],
    records: [sending],
    release: true,
  })
  expect(encoded).toEqual({
    runId: 'r',
    owner: 'me',
    fence: 2,
    version: 7,
    at: 9,
    status: 'waiting',
    outcome: { reason: 'error', code: 'c', error: '{"code":"c","message":"m"}' },
    rows: [
      { ...row, seq: 1, kind: 'message', body: JSON.stringify(message), at: 8, turn: 3, place: 5 },
      { ...row, seq: 2, kind: 'call', body: JSON.stringify(record) },
      { ...row, seq: 3, kind: 'state', body: '{"a":1}' },
      { ...row, seq: 4, kind: 'checkpoint', body: '["UserMessage"]', document: 'whole', at: 9 },
    ],
    calls: [{ ...row, seq: 2, kind: 'call', body: JSON.stringify(record), document: 'live' }],
    files: [],
    hasCheckpoint: true,
    document: null,
    consumed: [{ id: 3 }],
    settled: [],
    emptied: [4],
    timers: [],
    records: [sending],
    release: true,
  })
  expect(receiptOf(encoded)).toEqual({ version: 7, released: true })
  expect(receiptOf(encodeCommit(plain))).toEqual({ version: 7 })
})

test('EVT-04 stores a published result only in its own entry, except a late one', () => {
  const result = { role: 'toolResult', content: [] } as unknown as NonNullable<CallRecord['result']>
  const known = { ...record, result, resultSeq: 9 }
  const rowOf = (call: CallRecord) => encodeCommit({ ...plain, calls: [{ record: call, document: null }] }).calls[0]
  expect(rowOf({ ...record, result })).toMatchObject({ body: JSON.stringify({ ...record, result }), place: null })
  expect(rowOf(known)).toMatchObject({ body: JSON.stringify(record), place: 9 })
  const late = { ...record, placeholder: true, result }
  expect(rowOf({ ...late, resultSeq: 9 })).toMatchObject({ body: JSON.stringify(late), place: 9 })
})

test('CKP-04 removes the outcome of a run that continues, and keeps that of a resting one', () => {
  const none = { reason: null, code: null, error: null }
  expect(encodeCommit(plain).outcome).toEqual(none)
  expect(encodeCommit({ ...plain, status: 'waiting' }).outcome).toBeUndefined()
  expect(encodeCommit({ ...plain, outcome: { reason: 'natural_end' } }).outcome).toEqual({
    ...none,
    reason: 'natural_end',
  })
})

test('CKP-05 writes the first commit under the lease that the run is created with', () => {
  const first = encodeFirst('r', plain, { id: 'owner', host: 'h', pid: 1, pidStart: '' })
  expect(first).toMatchObject({ runId: 'r', owner: 'owner', fence: 1, version: 1 })
})

const nothing = 'Nothing was written.'

test.each<[Partial<Commit>, string]>([
  [{ append: [checkpoint, checkpoint], document: null }, `it appends 2 checkpoints; append at most one. ${nothing}`],
  [
    { append: [checkpoint] },
    `the state belongs either in the checkpoint it appends or, without one, in \`document\`. ${nothing}`,
  ],
  [
    { document: null },
    `the state belongs either in the checkpoint it appends or, without one, in \`document\`. ${nothing}`,
  ],
  [{ append: [{ kind: 'call', seq: 3, call: record }] }, `log entry 3 holds the call of slot 2. ${nothing}`],
])('CKP-06 refuses malformed commit %#', (change, problem) => {
  expect(() => encodeCommit({ ...plain, ...change })).toThrow(
    new RangeError(`This commit of run "r" is malformed: ${problem}`),
  )
})

test.each<[Commit, string]>([
  [
    { ...plain, append: [{ kind: 'state', seq: 3, state: 1n as never }] },
    'Log entry 3 of run "r" cannot be stored: Do not know how to serialize a BigInt. Pass plain JSON.',
  ],
  [
    { ...plain, append: [{ kind: 'state', seq: 3, state: undefined as never }] },
    'Log entry 3 of run "r" cannot be stored: it is undefined. Pass plain JSON.',
  ],
  [
    { ...plain, append: [{ kind: 'state', seq: 3, state: { constructor: 1 } as never }] },
    'Log entry 3 of run "r" cannot be stored: the key "constructor" is refused. Pass plain JSON.',
  ],
  [
    { ...plain, calls: [{ record: { ...record, patch: 1n as never }, document: null }] },
    'Call "1.a" of run "r" cannot be stored: Do not know how to serialize a BigInt. Pass plain JSON.',
  ],
  [
    { ...plain, outcome: { reason: 'error', error: 1n as never } },
    'The error of run "r" cannot be stored: Do not know how to serialize a BigInt. Pass plain JSON.',
  ],
])('CKP-06 names the part of commit %# that cannot be stored', (commit, problem) => {
  expect(() => encodeCommit(commit)).toThrow(new TypeError(problem))
})

const head = { fence: 2, owner: 'me', version: 6, lastSeq: 3, status: 'running', reason: null, code: null, error: null }

test.each<[object, string, string]>([
  [{ fence: 3 }, 'fence_conflict', 'its lease has fence 3, not 2'],
  [{ owner: 'you' }, 'fence_conflict', 'the lease of fence 2 now belongs to owner "you"'],
  [{ owner: null }, 'fence_conflict', 'the lease of fence 2 was released'],
  [{ version: 7 }, 'version_conflict', 'Run "r" is at version 7; this commit expected version 6.'],
  [{ version: 5 }, 'version_conflict', 'Run "r" is at version 5; this commit expected version 6.'],
])('CKP-05 refuses a commit if the run has %j', (change, code, text) => {
  const check = () => checkHead(encodeCommit(plain), { ...head, ...change })
  expect(check).toThrow(expect.objectContaining({ code, message: expect.stringContaining(text) }))
  expect(() => checkHead(encodeCommit(plain), head)).not.toThrow()
})

test('CKP-06 accepts entries that follow the last one, up to the maximum size of a log', () => {
  const entries = (...seqs: readonly number[]) =>
    encodeCommit({ ...plain, append: seqs.map((seq) => ({ kind: 'state', seq, state: 1 })) })
  expect(() => checkSequence(entries(4, 5), 3)).not.toThrow()
  expect(() => checkSequence(entries(maxSeq), maxSeq - 1)).not.toThrow()
  for (const [commit, last, text] of [
    [entries(4, 6), 3, 'it appends log entry 6 where 5 is next'],
    [entries(3), 3, 'it appends log entry 3 where 4 is next'],
    [entries(maxSeq + 1), maxSeq, `its log would have more than ${maxSeq} entries; start a new run`],
  ] as const) {
    expect(() => checkSequence(commit, last)).toThrow(
      new RangeError(`This commit of run "r" is malformed: ${text}. ${nothing}`),
    )
  }
})

test('DEC-06 refuses a resting commit if an unread row could change the run', () => {
  const resting = encodeCommit({ ...plain, status: 'waiting', consumed: [{ id: 1 }] })
  expect([readsInbox(resting), readsInbox(encodeCommit(plain))]).toEqual([true, false])
  const kinds = ['decision', 'cancel', 'cancelCall', 'serviceAnswer', 'steer', 'followUp']
  expect(kinds.map((kind) => isRefusing(resting, { id: 2, kind, callId: null }))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(isRefusing(resting, { id: 1, kind: 'decision', callId: '1.a' })).toBe(false)
})

test('DEC-06 refuses a commit that settles a call if a row for that call is unread', () => {
  const settled = (status: CallRecord['status']) => ({ ...record, callId: `1.${status}`, status })
  const append = [{ kind: 'call', seq: 2, call: settled('failed') } as const]
  const calls = (['running', 'cancelled', 'succeeded'] as const).map(settled)
  const commit = encodeCommit({
    ...plain,
    append,
    calls: calls.map((one) => ({ record: one, document: null })),
    consumed: [{ id: 1 }],
  })
  expect([commit.settled, readsInbox(commit), isResting(commit)]).toEqual([
    ['1.cancelled', '1.succeeded', '1.failed'],
    true,
    false,
  ])
  const isRefusedBy = (callId: string | null, id = 2) => isRefusing(commit, { id, kind: 'cancelCall', callId })
  expect(['1.failed', '1.cancelled', '1.running', null].map((callId) => isRefusedBy(callId))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(isRefusedBy('1.failed', 1)).toBe(false)
})

test.each([
  ['decision', null, 's', true],
  ['decision', null, undefined, false],
  ['decision', 's', 's', false],
  ['cancel', null, 's', false],
] as const)('DEC-06 a %s of suspension %s that answers %s is late: %s', (kind, own, answers, expected) => {
  const given = { id: 1, kind, decisionId: 'd', callId: '1.a', suspensionId: own, body: '{}', at: 1, consumed: 1 }
  const suspension = answers === undefined ? {} : { suspensionId: answers }
  const commit = encodeCommit({ ...plain, consumed: [{ id: 1, ...suspension }] })
  const taken = () => {
    try {
      return consumeRows([given], commit)
    } catch (error) {
      return String(error).includes('has consumed already')
    }
  }
  expect(taken()).toEqual(expected ? new Map([[0, { ...given, suspensionId: 's' }]]) : true)
})

test("CKP-04 writes the run's row only if its state or status is stored nowhere else", () => {
  const withCheckpoint = { ...plain, status: 'done' as const, append: [checkpoint], document: null }
  const ended = encodeCommit({ ...withCheckpoint, outcome: { reason: 'stopped', code: 'c' } })
  const same = { ...head, status: 'done', reason: 'stopped', code: 'c' }
  expect(changesRun(ended, same)).toBe(false)
  expect(changesRun(encodeCommit(withCheckpoint), same)).toBe(false)
  expect(changesRun(encodeCommit(plain), head)).toBe(true)
  for (const other of [{ status: 'running' }, { reason: 'error' }, { code: null }, { error: '{}' }]) {
    expect([other, changesRun(ended, { ...same, ...other })]).toEqual([other, true])
  }
})
