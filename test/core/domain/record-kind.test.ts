import { expect, test } from 'vitest'
import { accountKind, openAccount } from '../../../src/core/domain/account.ts'
import { reserve } from '../../../src/core/domain/charge-account.ts'
import {
  type KindDeclaration,
  recordKind,
  recordTables,
  type RecordTable,
} from '../../../src/core/domain/records/record-kind.ts'
import { rowsOf } from '../../../src/core/domain/records/record-read.ts'
import { FoundRecords } from '../../../src/core/domain/records/found-records.ts'

const sound: RecordTable = { name: 'note', fields: { run: 'text' }, indexes: { run: ['run'] } }

function declared(change: Partial<KindDeclaration<string>>) {
  return recordKind({ ...sound, ...change, fieldsOf: () => ({}), isBody: (value): value is string => value !== null })
}

test.for<[string, Partial<KindDeclaration<string>>, string]>([
  ['a name that is no word', { name: 'a note' }, '"a note" is not a name in lower-case letters'],
  ['a field that every record has', { fields: { key: 'text' }, indexes: {} }, 'its field "key" has the name'],
  ['an index on no field', { indexes: { all: [] } }, 'its index "all" is on no field'],
  ['an index on an unknown field', { indexes: { by: ['name'] } }, 'its index "by" is on "name", which is none of'],
  ['a run that it does not name', { fields: {}, indexes: {}, runGone: () => undefined }, 'needs a text field "run"'],
])('CKP-06 refuses a record kind that declares %s', ([, change, problem]) => {
  expect(() => declared(change)).toThrow(problem)
})

test('CKP-06 refuses two record kinds with one name', () => {
  expect(recordTables(sound, accountKind)).toEqual([sound, accountKind])
  expect(() => recordTables(sound, accountKind, declared({}))).toThrow('Two record kinds have the name "note".')
})

test('CKP-06 refuses a read that no index of its kind can answer', () => {
  expect(() => rowsOf(sound, { index: 'agent', values: [], limit: 1 })).toThrow('it declares no index "agent"')
  expect(() => rowsOf(sound, { index: 'run', values: ['a', 'b'], limit: 1 })).toThrow(
    'index "run" takes 1 values, got 2',
  )
  expect(() => rowsOf(sound, { index: 'run', values: ['a'], upTo: 1, limit: 1 })).toThrow('no field is left')
  expect(() => rowsOf(sound, { index: 'run', values: ['a'], behind: [1, 2], limit: 1 })).toThrow('is 1 numbers, got 2')
  expect(() => rowsOf(sound, { values: [], firstOf: 'agent', limit: 1 })).toThrow('it declares no index "agent"')
  expect(() => rowsOf(sound, { values: ['one'], limit: 1 })).toThrow('values need the index that has them')
})

test('CKP-06 throws if a rule judges a record that it has not read', () => {
  expect(() => new FoundRecords([], []).row(accountKind, 'family')).toThrow('Name it in its reads.')
})

test('CKP-06 an account counts non-negative whole units', () => {
  for (const units of [-1, 0.5, Number.NaN, Infinity]) {
    expect(() => openAccount('family', { tokens: units })).toThrow(`got ${units}`)
    expect(() => reserve('family', 'run', { attempt: 'first', tokens: 0, nanos: units })).toThrow(`got ${units}`)
  }
})
