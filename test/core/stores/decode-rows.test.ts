import { describe, expect, test } from 'vitest'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { decodeCheckpointInfo, decodeCheckpointRun, decodeRun } from '../../../src/core/stores/rows/decode-log.ts'
import {
  decodeCall,
  decodeMark,
  decodeMessage,
  decodeRecord,
  decodeState,
} from '../../../src/core/stores/rows/decode-rows.ts'
import type { FullRunRow, LogRow } from '../../../src/core/stores/rows/stored-rows.ts'

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
  agentVersion: null,
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
  at: null,
  turn: null,
  place: null,
  ...rest,
})

const call = { seq: 2, callId: '1.a', toolCallId: 'a', toolName: 'act', status: 'suspended', suspension: { id: 's' } }
const user = { role: 'user', content: [], timestamp: 1 }
const names = ['UserMessage']

describe('runs', () => {
  test("CKP-09 a run's record has the later of its two times and of its two versions", () => {
    const read = (at: number, version: number) => decodeRecord(run, { version, at })
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

  test('CKP-09 PRV-05 reads an error that was stored without a code as an API error', () => {
    const record = decodeRecord({ ...run, error: '{"message":"m"}' }, { version: 0, at: null })
    expect(record.error).toEqual({ code: 'api_error', message: 'm' })
  })

  test('CKP-09 omits missing fields, and returns the origin of a fork', () => {
    const bare = { ...run, status: 'running', reason: null, code: null, error: null }
    const fork = { ...bare, forkedRun: 'parent', forkedVersion: 2 }
    const tail = { version: 0, at: null }
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
  ])('CKP-09 reports a record as damaged with %j', (change, what) => {
    expect(damageOf(() => decodeRecord({ ...run, ...change }, { version: 0, at: null }))).toBe(
      `Run "r" is damaged: ${what}. ${advice}`,
    )
  })

  test('CKP-09 names JSON that cannot be read', () => {
    expect(damageOf(() => decodeRecord({ ...run, error: '{' }, { version: 0, at: null }))).toContain(
      'its run row is not readable JSON (',
    )
  })
})

describe('log rows', () => {
  test.each([
    [user, 'read'],
    [{ role: 'assistant', content: [] }, 'read'],
    [{ role: 'toolResult', content: [] }, 'read'],
    [{ role: 'extension', kind: 'k', data: 1 }, 'read'],
    [{ role: 'user', content: 'Hi' }, 'log row 2 is not a message.'],
    [{ role: 'system', content: [] }, 'log row 2 is not a message.'],
    [{ content: [] }, 'log row 2 is not a message.'],
    [null, 'log row 2 is not a message.'],
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
    [names, 7, 'read'],
    [[], 0, 'read'],
    ['UserMessage', 7, 'log row 2 is not readable JSON'],
    [{ names }, 7, 'log row 2 is not a checkpoint.'],
    [[1], 7, 'log row 2 is not a checkpoint.'],
    [[], null, 'log row 2 is not a checkpoint with a time.'],
    [null, 7, 'log row 2 is not a checkpoint.'],
  ])('CKP-09 checkpoint %j at %j: %s', (body, at, what) => {
    expect(damageOf(() => decodeCheckpointInfo('r', row(2, 'checkpoint', body, { at })))).toContain(what)
  })

  test.each([
    [{ type: 'run.resumed' }, 7, 'read'],
    [null, 7, 'read'],
    [{ type: 'run.resumed' }, null, 'log row 2 is not a mark with a time.'],
    [{}, 7, 'log row 2 is not a mark with an event.'],
    [[], 7, 'log row 2 is not a mark with an event.'],
    ['{', 7, 'log row 2 is not readable JSON'],
  ])('EVT-04 CKP-09 mark %j at %j: %s', (body, at, what) => {
    expect(damageOf(() => decodeMark('r', row(2, 'mark', body, { at })))).toContain(what)
  })

  test.each([
    [{ role: 'toolResult', content: [] }, 'read'],
    [user, 'log row 9 is not the result of a call.'],
    ['{', 'log row 9 is not readable JSON'],
  ])('EVT-04 CKP-09 result %j: %s', (body, what) => {
    const result = typeof body === 'string' ? body : JSON.stringify(body)
    expect(damageOf(() => decodeCall('r', row(2, 'call', call, { place: 9, result })))).toContain(what)
  })

  test("EVT-04 reads a call's result from its own row, or from the row that its column names", () => {
    const [early, late] = [
      { role: 'toolResult', content: [] },
      { role: 'toolResult', content: [], isError: true },
    ]
    expect(decodeCall('r', row(2, 'call', { ...call, result: early }))).toEqual({ ...call, result: early })
    expect(decodeCall('r', row(2, 'call', call, { place: 9 }))).toEqual({ ...call, resultSeq: 9 })
    expect(decodeCall('r', row(2, 'call', call, { place: 9, result: JSON.stringify(late) }))).toEqual({
      ...call,
      result: late,
      resultSeq: 9,
    })
    expect(
      decodeCall('r', row(2, 'call', { ...call, result: early }, { place: 9, result: JSON.stringify(late) })),
    ).toEqual({ ...call, result: early, resultSeq: 9 })
  })

  test('CKP-08 CKP-09 lists a checkpoint, and reads its state document', () => {
    expect(decodeCheckpointInfo('r', row(4, 'checkpoint', names, { version: 2, at: 7 }))).toEqual({
      version: 2,
      seq: 4,
      names,
      at: 7,
    })
    expect(decodeState('r', row(3, 'state', { a: 1 }, { at: 7 }))).toEqual({
      kind: 'state',
      seq: 3,
      state: { a: 1 },
      at: 7,
    })
  })
})

describe('driver reads', () => {
  const record = decodeRecord(run, { version: 0, at: null })
  const settled = { ...call, status: 'succeeded', suspension: undefined }
  const log = (...rows: readonly LogRow[]) => [row(1, 'message', user), ...rows]
  const rows = log(
    row(2, 'call', call, { version: 3, document: 'live' }),
    row(3, 'call', { ...settled, seq: 3, callId: '1.b' }, { version: 3, document: 'reviewed' }),
    row(4, 'call', { ...settled, seq: 4, callId: '1.c' }, { version: 3 }),
    row(5, 'checkpoint', names, { at: 7, version: 2, document: 'whole' }),
  )

  test("CKP-08 a driver's read has the last checkpoint, newer rows, and the calls still running", () => {
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

  test('CKP-08 omits the snapshot of a call that is older than the checkpoint', () => {
    const older = log(
      row(2, 'call', call, { version: 1, document: 'old' }),
      row(3, 'checkpoint', names, { at: 7, version: 2, document: 'whole' }),
    )
    expect(decodeRun(record, { ...run, version: 2 }, older).calls).toMatchObject([{ document: null, version: 1 }])
    const same = older.map((one) => ({ ...one, version: 2 }))
    expect(decodeRun(record, { ...run, version: 2 }, same).calls).toMatchObject([{ document: 'old', version: 2 }])
  })

  test('CKP-08 reads a run at a checkpoint with the snapshots of that commit', () => {
    const at = row(4, 'checkpoint', names, { at: 7, version: 2, document: 'whole' })
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
      () => decodeRun(record, { ...run, document: 'x' }, log(row(2, 'checkpoint', names, { at: 7 }))),
      'log row 2 is a checkpoint without its document.',
    ],
  ])('CKP-09 reports a %s', (_, read, what) => {
    expect(damageOf(read)).toBe(`Run "r" is damaged: ${what} ${advice}`)
  })
})
