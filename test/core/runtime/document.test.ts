import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/core/domain/call.ts'
import { SnapshotError } from '../../../src/index.ts'
import {
  decodeRun,
  documentSchema,
  encodeCheckpoint,
  logAsOf,
  parseDocument,
} from '../../../src/core/runtime/document.ts'
import type { Migration } from '../../../src/core/runtime/migration.ts'
import type { StoredRun } from '../../../src/core/ports/store.ts'
import type { StoredActor, StoredChild } from '../../../src/core/runtime/persist.ts'

const root: StoredActor = { status: 'active', value: 'running', context: {}, children: {} }
const document = (change: object) => JSON.stringify({ schema: 1, nextSeq: 4, root, ...change })
const call: CallRecord = {
  seq: 2,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 1,
  status: 'suspended',
  revision: 0,
  resumeMode: 'replay',
}
const child = { src: 'toolCall', snapshot: { status: 'active', value: { running: 'executing' } } }

test('CKP-07 reads a document of this version', () => {
  const calls = { '1.a': { status: 'new' } }
  expect(parseDocument('r', document({ calls }))).toEqual({ schema: 1, nextSeq: 4, root, calls })
  const done = { ...root, status: 'done', value: 'done' }
  expect(parseDocument('r', document({ root: done })).root).toEqual(done)
  for (const status of ['active', 'done', 'error', 'stopped']) {
    const children = { a: { src: 'sleep', snapshot: { status, children: { b: child } } } }
    expect(parseDocument('r', document({ root: { ...root, children } })).root.children).toEqual(children)
  }
})

const lacks = 'its document lacks a snapshot'

/** The document of a run whose log begins with a copy, before its chart begins. */
const beginning = (nextSeq: number) => JSON.stringify({ schema: documentSchema, nextSeq, root: null })

const begun: StoredRun = {
  record: { id: 'r', agent: 'a', status: 'running', createdAt: 1, updatedAt: 1, version: 1 },
  input: { carried: 1 },
  checkpoint: null,
  document: beginning(2),
  log: [{ kind: 'state', seq: 1, state: {} }],
  calls: [],
}

test('AGT-02 CKP-07 a run created with a log has no state before its chart begins', () => {
  expect(decodeRun(begun, {})).toEqual({ nextSeq: 2 })
})

test('AGT-02 CKP-07 a run that refers to its predecessor has no state and no document before its chart begins', () => {
  const referring: StoredRun = { ...begun, input: { carried: 7 }, document: null, continues: { runId: 'o', seq: 7 } }
  expect(decodeRun(referring, {})).toEqual({ nextSeq: 8 })
})

test.each<[string, Partial<StoredRun>, string]>([
  ['carries nothing', { input: {} }, lacks],
  ['carries less', { input: { carried: 2 } }, lacks],
  ['goes on at another place', { document: beginning(3) }, lacks],
  ['has a checkpoint', { checkpoint: { document: document({}), version: 1, seq: 1 } }, lacks],
  [
    'was stored without what it carries',
    { document: null, log: [] },
    'the run that it continues was never stored; delete it and prompt the other run again',
  ],
])('AGT-02 CKP-07 never restarts a run that %s', (_, change, problem) => {
  expect(() => decodeRun({ ...begun, ...change }, {})).toThrow(new SnapshotError('r', problem))
})

test.each<[string, string]>([
  ['{', 'its document is not readable JSON'],
  ['[]', 'its document is not one of statewright'],
  ['null', 'its document is not one of statewright'],
  [document({ schema: '1' }), 'its document is not one of statewright'],
  [
    document({ schema: 4 }),
    'its document has schema 4, this version reads schema 1; drive it with the version that wrote it',
  ],
  [
    document({ schema: -1e15 }),
    'its document has schema -1000000000000000, this version reads schema 1; drive it with the version that wrote it',
  ],
  [
    document({ schema: 0.5 }),
    'its document has schema 0.5, this version reads schema 1; drive it with the version that wrote it',
  ],
  [
    document({ schema: 0 }),
    'its document has schema 0, this version reads schema 1; drive it with the version that wrote it',
  ],
  [document({ root: null }), lacks],
  [document({ root: { ...root, status: 'odd' } }), lacks],
  [document({ root: { ...root, context: [] } }), lacks],
  [document({ root: { ...root, children: [] } }), lacks],
  [document({ root: { ...root, children: { a: {} } } }), lacks],
  [document({ root: { ...root, children: { a: { ...child, src: 1 } } } }), lacks],
  [document({ root: { ...root, children: { a: { ...child, snapshot: {} } } } }), lacks],
  [document({ nextSeq: '4' }), lacks],
  [document({ calls: [] }), 'the open calls in its document are invalid'],
  [document({ calls: { a: 1 } }), 'the open calls in its document are invalid'],
  [document({ root: { ...root, status: 'done' } }), 'its document says "done" but its state requires "active"'],
  [document({ root: { ...root, value: { done: 'x' } } }), 'its document says "active" but its state requires "done"'],
])('CKP-07 refuses document %# and says why', (text, why) => {
  expect(() => parseDocument('r', text)).toThrow(new SnapshotError('r', why))
})

test('CKP-07 migrates an older document step by step', () => {
  const seen: unknown[] = []
  const step = (name: string): Migration => ({
    document: ({ src, snapshot }) => {
      seen.push([name, src, Object.keys(snapshot.children ?? {})])
      return { ...snapshot, context: { ...snapshot.context, [name]: true } }
    },
  })
  const old = JSON.stringify({ schema: -1, nextSeq: 9, root: { ...root, children: { a: child } } })
  const steps = { [-1]: step('first'), 0: step('second') }
  const { schema, nextSeq, root: migrated } = parseDocument('r', old, steps)
  expect([schema, nextSeq, migrated.context]).toEqual([1, 9, { ...root.context, first: true, second: true }])
  expect(seen).toEqual([
    ['first', 'root', ['a']],
    ['second', 'root', ['a']],
  ])
  expect(parseDocument('r', document({}), { 1: step('later') }).root).toEqual(root)
  expect(() => parseDocument('r', old, { [-1]: step('first') })).toThrow('its document has schema -1')
})

test('CKP-07 names the migration step of an older document that failed', () => {
  const cause = new Error('no turn')
  const steps = { [-1]: { document: ({ snapshot }: StoredChild) => snapshot }, 0: { document: () => raise(cause) } }
  const what = 'its document could not be migrated from schema 0 to 1 (no turn)'
  expect(() => parseDocument('r', document({ schema: -1 }), steps)).toThrow(new SnapshotError('r', what, { cause }))
})

function raise(error: Error): never {
  throw error
}

test('CKP-08 stores and restores the data of open calls that their actors lack', () => {
  const edited = { ...call, status: 'running', revision: 1, editedArguments: 0, placeholder: true } as const
  const [acting, still, reserved] = [
    { ...edited, callId: '1.b', seq: 3 },
    call,
    { ...call, status: 'new' as const, callId: '1.c', seq: 4 },
  ]
  const stored = { ...root, children: { '1.b': child, '1.c': child } }
  const { calls } = JSON.parse(encodeCheckpoint(stored, 5, [acting, still, reserved])) as {
    calls: Parameters<typeof logAsOf>[2]
  }
  expect(calls).toEqual({
    '1.a': { status: 'suspended' },
    '1.b': { revision: 1, editedArguments: 0, placeholder: true },
  })
  const result = { status: 'succeeded', result: { role: 'toolResult' } as never, patch: [] } as const
  const later = [
    { kind: 'call', seq: 2, call: { ...call, ...result, revision: 7 } },
    { kind: 'call', seq: 3, call: { ...acting, ...result } },
    { kind: 'call', seq: 5, call: { ...call, ...result, seq: 5, callId: '1.d' } },
    { kind: 'state', seq: 6, state: 1 },
  ] as const
  expect(logAsOf(later, stored, calls)).toEqual([
    { kind: 'call', seq: 2, call },
    { kind: 'call', seq: 3, call: acting },
    later[2],
    later[3],
  ])
})
