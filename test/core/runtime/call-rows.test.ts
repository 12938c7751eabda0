import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { SnapshotError } from '../../../src/index.ts'
import type { StoredRun } from '../../../src/core/ports/store.ts'
import { decodeRun } from '../../../src/core/runtime/document.ts'

const call: CallRecord = {
  seq: 2,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 1,
  status: 'running',
  revision: 0,
  resumeMode: 'replay',
}
const actor = { schema: 1, src: 'toolCall', snapshot: { status: 'active', value: { running: 'executing' } } }
const root = { status: 'active', value: 'running', context: {}, children: {} }

/** A run that names a call whose actor is kept in a row of its own. */
function withRow(row: unknown, version = 3): StoredRun {
  const document = (rows: object) => JSON.stringify({ schema: 1, nextSeq: 4, root, ...rows })
  return {
    record: { id: 'r', agent: 'a', status: 'running', createdAt: 1, updatedAt: 1, version: 3 },
    input: null,
    checkpoint: { document: document({}), version: 2, seq: 3 },
    document: document({ rows: ['1.a'] }),
    log: [],
    calls: [{ record: call, document: typeof row === 'string' ? row : JSON.stringify(row), version }],
  }
}

test('CKP-03 TC-08 restores the actor of a call from its row', () => {
  const { snapshot } = decodeRun(withRow(actor), {}) ?? {}
  expect(snapshot).toMatchObject({ children: { '1.a': { src: 'toolCall', snapshot: { status: 'active' } } } })
})

test.each<[unknown, string]>([
  ['{', 'its document is not readable JSON'],
  [{}, "a call's row lacks a snapshot"],
  [{ ...actor, src: 1 }, "a call's row lacks a snapshot"],
  [{ src: 'toolCall', snapshot: { status: 'odd' } }, "a call's row lacks a snapshot"],
  [{ ...actor, schema: '1' }, "a call's row does not name its schema"],
  [
    { ...actor, schema: 4 },
    'its document has schema 4, this version reads schema 1; drive it with the version that wrote it',
  ],
])('CKP-07 CKP-09 refuses row %# of a call and says why', (row, why) => {
  expect(() => decodeRun(withRow(row), {})).toThrow(new SnapshotError('r', why))
})

test('CKP-07 refuses a run that names a call without a row', () => {
  const problem = new SnapshotError('r', 'nothing is stored of its call "1.a"')
  expect(() => decodeRun(withRow(actor, 2), {})).toThrow(problem)
})
