import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { accountKind, chargeKind, noAmount, openAccount } from '../../../src/core/domain/account.ts'
import { reserve } from '../../../src/core/domain/charge-account.ts'
import { recordKinds } from '../../../src/core/domain/records/record-kinds.ts'
import type { RecordTable } from '../../../src/core/domain/records/record-kind.ts'
import { rowOf, rowsOf, type RecordRead } from '../../../src/core/domain/records/record-read.ts'
import { put } from '../../../src/core/domain/records/record-change.ts'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { recordSql } from '../../../src/adapters/stores/sqlite/records.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { tableOf } from '../../../src/core/stores/rows/record-sql.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { sendItems, takeItems } from '../../../src/core/domain/outgoing.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'

const filling = 'WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 5000)'

/** Each way to read by values of the first fields of an index. */
function readsOf(table: RecordTable, index: string, given: number): readonly RecordRead[] {
  const fields = table.indexes[index] ?? []
  const left = fields.slice(given)
  const read = { index, values: fields.slice(0, given).map(() => 'one'), limit: 3 }
  const hasPages = left.every((field) => table.fields[field] !== 'text')
  const more = [
    ...Object.keys(table.indexes).map((firstOf) => ({ firstOf })),
    ...(hasPages ? [{ behind: [...left.map(() => 9), 9] }] : []),
    ...(hasPages && left.length > 0 ? [{ upTo: 9 }] : []),
  ]
  return [{}, ...more].flatMap((one) => [false, true].map((isRising) => rowsOf(table, { ...read, ...one, isRising })))
}

/** Each statement that the declaration of a kind can produce. */
const statements = recordKinds.flatMap((table) => {
  const on = Object.entries(table.indexes)
  const reads: readonly RecordRead[] = [
    rowOf(table, 'key'),
    ...on.flatMap(([index, fields]) => fields.flatMap((_, place) => readsOf(table, index, place + 1))),
    ...(table.maxAgeMs === undefined ? [] : [rowsOf(table, { values: [], limit: 3 })]),
  ]
  const texts = reads.map((read) => recordSql.select(read, 1).text)
  const old = table.maxAgeMs === undefined ? [] : [recordSql.forgetOld(table, table.maxAgeMs, 1).text]
  const isRaised = Object.values(table.fields).includes('raised')
  const raising = isRaised ? [recordSql.write({ table, key: 'key', raise: 1 }, 1).text] : []
  return [...texts, ...old, ...raising, recordSql.write({ table, key: 'key' }, 1).text].map((text) => ({ table, text }))
})

test.for(statements.flatMap((one) => [false, true].map((isAnalysed) => ({ ...one, isAnalysed }))))(
  'SCALE-01 SQLite: finds records without a scan or a sort, analysed: $isAnalysed, by $text',
  ({ table, text, isAnalysed }) => {
    using folder = temporaryFolder()
    const database = openDatabase(folder.file('runs.db'), { synchronous: 'normal' })
    for (const made of recordSql.creation(table)) database.exec(`CREATE ${made}`)
    const fields = Object.keys(table.fields)
    const columns = ['key', 'version', 'at', 'body', ...fields.map((field) => `"${field}"`)]
    const values = ["'key ' || n", '1', 'n', "'{}'", ...fields.map(() => 'iif(n > 4990, n, 1)')]
    database.exec(`${filling} INSERT INTO ${tableOf(table)} (${columns.join()}) SELECT ${values.join()} FROM counted`)
    if (isAnalysed) database.exec('ANALYZE')
    const lines = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all()
    database.close()
    expect(lines.map(({ detail }) => String(detail)).filter((line) => /SCAN|AUTOMATIC|TEMP B-TREE/.test(line))).toEqual(
      [],
    )
  },
)

test("CKP-06 SQLite: creates a record kind's table with its first record", async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const other = sqliteStore(path, { synchronous: 'normal' })
  const known = () => {
    const database = new DatabaseSync(path)
    const rows = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'record%' AND type = 'table'").all()
    database.close()
    return rows.map(({ name }) => name)
  }
  expect((await store.records([rowOf(accountKind, 'family')])).row(accountKind, 'family')).toBeUndefined()
  expect(await store.change(reserve('family', 'charge', { attempt: 'first', tokens: 1, nanos: 0 }))).toBe('unknown')
  expect(known()).toEqual([])
  await other.change(openAccount('family', { tokens: 10 }))
  expect(known()).toEqual(['record_account'])
  const found = await store.records([rowOf(accountKind, 'family')])
  expect(found.row(accountKind, 'family')?.body).toEqual({
    run: 'family',
    caps: { tokens: 10 },
    charged: noAmount,
    held: noAmount,
  })
  await store.close()
  await other.close()
})

test('CKP-06 SQLite: refuses a damaged record by its key, omits it from lists, and lets it be replaced', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  await store.change(openAccount('family', { tokens: 10 }))
  await store.change(reserve('family', 'one', { attempt: 'first', tokens: 1, nanos: 0 }))
  await store.change(reserve('family', 'two', { attempt: 'first', tokens: 1, nanos: 0 }))
  const database = new DatabaseSync(path)
  database.exec(`UPDATE record_charge SET body = '{"run"' WHERE number = 1; UPDATE record_account SET body = '[]'`)
  database.close()
  const read = rowsOf(chargeKind, { index: 'run', values: ['family'], limit: 9 })
  expect((await store.records([read])).rows(chargeKind, read).map(({ key }) => key)).toEqual(['["family","two"]'])
  await expect(
    store.change(reserve('family', 'three', { attempt: 'first', tokens: 1, nanos: 0 })),
  ).rejects.toMatchObject({
    code: 'record_damaged',
    message:
      'The account "family" is damaged: its stored body is invalid. Nothing was changed: restore it from a copy.',
  })
  const restored = { run: 'family', caps: {}, charged: noAmount, held: { tokens: 2, nanos: 0 } }
  await store.change({ reads: [], judge: () => ({ answer: true, writes: [put(accountKind, 'family', restored)] }) })
  expect(await store.change(reserve('family', 'three', { attempt: 'first', tokens: 1, nanos: 0 }))).toBe('reserved')
  await store.close()
})

test('SVC-01 SQLite: sets an outgoing item with a damaged body aside, and sends the items after it', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const item = (id: string) => ({ id, kind: 'event', destination: 'bank', body: { paid: true } })
  await store.change(sendItems('run', [item('one'), item('two')], 1))
  const database = new DatabaseSync(path)
  database.exec(`UPDATE record_outgoing SET body = '{' WHERE number = 1`)
  database.close()
  const take = () => store.change(takeItems({ kinds: ['event'], now: 9, limit: 9, holdMs: 1 }))
  expect(await take()).toEqual([])
  expect((await take()).map(({ id }) => id)).toEqual(['two'])
  expect(await listOutgoing(store, { state: 'aside' })).toMatchObject([
    { id: 'one', destination: 'bank', runId: 'run', body: null, problem: 'Its stored body is unreadable.' },
  ])
  await store.close()
})
