import { describe, expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { decodeCheckpointInfo, decodeCheckpointRun, decodeRun } from '../../../src/core/stores/rows/decode-log.ts'
import {
  decodeCall,
  decodeDecision,
  decodeInbox,
  decodeMessage,
  decodeRecord,
  decodeState,
} from '../../../src/core/stores/rows/decode-rows.ts'
import type { FullRunRow, InboxTextRow, LogRow } from '../../../src/core/stores/rows/stored-rows.ts'

const advice = 'Other runs are not affected: restore this one from a copy, or delete it.'

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

const unfound = { session: null, subject: null, labels: null, prompt: null }
const run: FullRunRow = {
  id: 'r',
  agent: 'guide',
  status: 'done',
  reason: 'stopped',
  code: 'max_turns',
  error: '{"code":"c","message":"m"}',
  createdAt: 1,
  updatedAt: 5,
  version: 3,
  forkedRun: null,
  forkedVersion: null,
  continuedRun: null,
  firstSeq: 1,
  ...unfound,
  input: '{"text":"Hi"}',
  document: null,
}

const row = (seq: number, kind: string, body: unknown, rest: Partial<LogRow> = {}): LogRow => ({
  seq,
  version: 1,
  kind,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  document: null,
  ...rest,
})

const call = { seq: 2, callId: '1.a', toolCallId: 'a', toolName: 'act', status: 'suspended', suspension: { id: 's' } }
const user = { message: { role: 'user', content: [], timestamp: 1 } }
const checkpoint = { names: ['UserMessage'], at: 7 }

describe('the record of a run', () => {
  test('CKP-09 has the later of its two times and of its two versions', () => {
    const read = (at: number, version: number) =>
      decodeRecord(run, { version, checkpoint: JSON.stringify({ names: [], at }) })
    expect(read(7, 4)).toEqual({
      id: 'r',
      agent: 'guide',
      status: 'done',
      doneReason: 'stopped',
      code: 'max_turns',
      error: { code: 'c', message: 'm' },
      createdAt: 1,
      updatedAt: 7,
      version: 4,
    })
    expect(read(4, 2)).toMatchObject({ updatedAt: 5, version: 3 })
  })

  test('CKP-09 PRV-05 has an error that was stored without a code as an API error', () => {
    const record = decodeRecord({ ...run, error: '{"message":"m"}' }, { version: 0, checkpoint: null })
    expect(record.error).toEqual({ code: 'api_error', message: 'm' })
  })

  test('CKP-09 leaves out what the row has not, and tells of a fork what it was made of', () => {
    const bare = { ...run, status: 'running', reason: null, code: null, error: null }
    const fork = { ...bare, forkedRun: 'parent', forkedVersion: 2 }
    const tail = { version: 0, checkpoint: null }
    const record = { id: 'r', agent: 'guide', status: 'running', createdAt: 1, updatedAt: 5, version: 3 }
    expect(decodeRecord(bare, tail)).toEqual(record)
    expect(decodeRecord(fork, tail)).toEqual({ ...record, forkedFrom: { runId: 'parent', version: 2 } })
    expect(decodeRecord({ ...fork, forkedVersion: null }, tail)).toEqual(record)
    expect(decodeRecord({ ...fork, forkedRun: null }, tail)).toEqual(record)
  })

  test.each<[Partial<FullRunRow>, string]>([
    [{ status: 'resting' }, 'its run row is not of a run status we know'],
    [{ reason: 'bored' }, 'its run row is not of a reason we know'],
    [{ error: '{"code":"c"}' }, 'its run row is not one with an error'],
    [{ error: '{"code":"c"}' }, 'its run row is not one with an error'],
    [{ error: '{"code":5,"message":"m"}' }, 'its run row is not one with an error'],
    [{ error: '[]' }, 'its run row is not one with an error'],
  ])('CKP-09 is damaged with %j', (change, what) => {
    expect(damageOf(() => decodeRecord({ ...run, ...change }, { version: 0, checkpoint: null }))).toBe(
      `Run "r" is damaged: ${what}. ${advice}`,
    )
  })

  test('CKP-09 names JSON that cannot be read, and a checkpoint that is none', () => {
    expect(damageOf(() => decodeRecord({ ...run, error: '{' }, { version: 0, checkpoint: null }))).toContain(
      'its run row is not readable JSON (',
    )
    expect(damageOf(() => decodeRecord(run, { version: 1, checkpoint: '{"names":[]}' }))).toContain(
      'its last checkpoint is not a checkpoint.',
    )
  })
})

describe('rows of a log', () => {
  test.each([
    [user, 'read'],
    [{ message: { role: 'assistant', content: [] } }, 'read'],
    [{ message: { role: 'toolResult', content: [] } }, 'read'],
    [{ message: { role: 'extension', kind: 'k', data: 1 } }, 'read'],
    [{ message: { role: 'user', content: 'Hi' } }, 'log row 2 is not a message.'],
    [{ message: { role: 'system', content: [] } }, 'log row 2 is not a message.'],
    [{ message: { content: [] } }, 'log row 2 is not a message.'],
    [{ message: null }, 'log row 2 is not a message.'],
    [[], 'log row 2 is not a message.'],
    ['{"__proto__":1}', 'log row 2 is not readable JSON (the key "__proto__" is refused).'],
  ])('CKP-09 message %j: %s', (body, what) => {
    expect(damageOf(() => decodeMessage('r', row(2, 'message', body)))).toContain(what)
  })

  const broken = [
    { seq: 3 },
    { callId: 1 },
    { toolCallId: null },
    { toolName: undefined },
    { status: 'lost' },
    { status: 1 },
    { suspension: { id: 1 } },
    { suspension: null },
  ]
  const sound = ['new', 'running', 'resuming', 'succeeded', 'failed', 'cancelled'].map((status) => ({ status }))

  test.each<[object, string]>([
    ...[{}, { suspension: undefined }, ...sound].map((change): [object, string] => [change, 'read']),
    ...broken.map((change): [object, string] => [change, 'log row 2 is not the call of slot 2.']),
  ])('CKP-09 call with %j: %s', (change, what) => {
    expect(damageOf(() => decodeCall('r', row(2, 'call', { ...call, ...change })))).toContain(what)
  })

  test.each([
    [checkpoint, 'read'],
    [{ names: [], at: 0 }, 'read'],
    [{ names: 'UserMessage', at: 7 }, 'log row 2 is not a checkpoint.'],
    [{ names: [1], at: 7 }, 'log row 2 is not a checkpoint.'],
    [{ names: [], at: '7' }, 'log row 2 is not a checkpoint.'],
    [null, 'log row 2 is not a checkpoint.'],
  ])('CKP-09 checkpoint %j: %s', (body, what) => {
    expect(damageOf(() => decodeCheckpointInfo('r', row(2, 'checkpoint', body)))).toContain(what)
  })

  test('CKP-08 CKP-09 lists a checkpoint, and reads a state document', () => {
    expect(decodeCheckpointInfo('r', row(4, 'checkpoint', checkpoint, { version: 2 }))).toEqual({
      version: 2,
      seq: 4,
      ...checkpoint,
    })
    expect(decodeState('r', row(3, 'state', { a: 1 }))).toEqual({ a: 1 })
  })
})

describe('rows of an inbox', () => {
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

  test('CKP-09 a decision answers the suspension of its column', () => {
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
    [inbox('steer', { text: '' }), true],
    [inbox('steer', {}), false],
    [inbox('followUp', { text: '' }), true],
    [inbox('followUp', { text: 1 }), false],
    [inbox('decision', {}), false],
    ...Object.keys(decision).map((key): [InboxTextRow, boolean] => [
      inbox('decision', { decision: { ...decision, [key]: 1 } }),
      false,
    ]),
    [inbox('wish', {}), false],
    [{ ...inbox('cancel', {}), kind: 'steer' }, false],
    [{ ...inbox('cancel', {}), body: '[]' }, false],
  ])('CKP-09 row %# is read or damaged: %s', (given, isRead) => {
    const what = isRead ? 'read' : `inbox row 9 is not an item of kind ${given.kind}.`
    expect(damageOf(() => decodeInbox('r', given))).toContain(what)
  })
})

describe('a run as its driver reads it', () => {
  const record = decodeRecord(run, { version: 0, checkpoint: null })
  const settled = { ...call, status: 'succeeded', suspension: undefined }
  const log = (...rows: readonly LogRow[]) => [row(1, 'message', user), ...rows]
  const rows = log(
    row(2, 'call', call, { version: 3, document: 'live' }),
    row(3, 'call', { ...settled, seq: 3, callId: '1.b' }, { version: 3, document: 'reviewed' }),
    row(4, 'call', { ...settled, seq: 4, callId: '1.c' }, { version: 3 }),
    row(5, 'checkpoint', checkpoint, { version: 2, document: 'whole' }),
  )

  test('CKP-08 has its last checkpoint, what is newer, and the calls still at work', () => {
    const read = decodeRun(record, { ...run, document: 'newer' }, rows)
    expect({ ...read, log: read.log.map(({ kind, seq }) => [kind, seq]) }).toMatchObject({
      record,
      input: { text: 'Hi' },
      checkpoint: { document: 'whole', version: 2, seq: 5 },
      document: 'newer',
      log: [
        ['message', 1],
        ['call', 2],
        ['call', 3],
        ['call', 4],
      ],
      calls: [
        { record: { callId: '1.a' }, document: 'live', version: 3 },
        { record: { callId: '1.b' }, document: 'reviewed', version: 3 },
      ],
    })
    expect(read.calls).toHaveLength(2)
    expect(decodeRun(record, { ...run, version: 2, document: 'older' }, rows).document).toBeNull()
  })

  test('CKP-08 leaves out the snapshot of a call that is older than the checkpoint', () => {
    const older = log(
      row(2, 'call', call, { version: 1, document: 'old' }),
      row(3, 'checkpoint', checkpoint, { version: 2, document: 'whole' }),
    )
    expect(decodeRun(record, { ...run, version: 2 }, older).calls).toMatchObject([{ document: null, version: 1 }])
    const same = older.map((one) => ({ ...one, version: 2 }))
    expect(decodeRun(record, { ...run, version: 2 }, same).calls).toMatchObject([{ document: 'old', version: 2 }])
  })

  test('CKP-08 as a checkpoint found it, has the snapshots of that very commit', () => {
    const at = row(4, 'checkpoint', checkpoint, { version: 2, document: 'whole' })
    const other = row(3, 'call', { ...call, seq: 3, callId: '1.b' }, { version: 2, document: 'then' })
    const found = log(row(2, 'call', call, { version: 3, document: 'later' }), other, at)
    expect(decodeCheckpointRun(record, run, found, at)).toMatchObject({
      checkpoint: { document: 'whole', version: 2, seq: 4 },
      document: null,
      calls: [
        { record: { callId: '1.a' }, document: null, version: 3 },
        { record: { callId: '1.b' }, document: 'then', version: 2 },
      ],
    })
  })

  test.each<[string, () => unknown, string]>([
    [
      'state of a version that is nowhere',
      () => decodeRun(record, run, rows),
      'its run row lacks the state of version 3.',
    ],
    ['row that is missing', () => decodeRun(record, { ...run, document: 'x' }, rows.slice(1)), 'log row 1 is missing.'],
    [
      'row of a kind nobody knows',
      () => decodeRun(record, { ...run, document: 'x' }, log(row(2, 'poem', {}))),
      'log row 2 has the unknown kind "poem".',
    ],
    [
      'checkpoint without its document',
      () => decodeRun(record, { ...run, document: 'x' }, log(row(2, 'checkpoint', checkpoint))),
      'log row 2 is a checkpoint without its document.',
    ],
  ])('CKP-09 tells of a %s', (_, read, what) => {
    expect(damageOf(read)).toBe(`Run "r" is damaged: ${what} ${advice}`)
  })
})
