import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { randomFrom } from '../../../proof/support/random.ts'
import { currentOwner } from '../../../src/core/domain/owner.ts'
import { hashText } from '../../../src/core/domain/text/json.ts'
import { packDocument, unpackDocument } from '../../../src/adapters/stores/sqlite/packed-document.ts'
import { startingText } from '../../../src/adapters/stores/sqlite/starting-text.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { checkpoint, createDriver, driverOf, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

test.each(['{}', '', '"😀 é \u0000"', 'x'.repeat(300_000), startingText])(
  'CKP-08 a packed document is read back exactly (%#)',
  (document) => {
    expect(unpackDocument(packDocument(document))).toBe(document)
  },
)

test('CKP-04 CKP-08 the dictionary of packed documents never changes, and costs nothing', () => {
  expect([startingText.length, hashText(startingText)]).toEqual([3561, '080e40f4c1dc21'])
  expect(packDocument(startingText.replaceAll('call', 'call7')).length).toBeLessThan(startingText.length / 10)
})

test('CKP-09 a row with one changed byte yields no document, or the original one', () => {
  const packed = packDocument(documentAt(7))
  const random = randomFrom(1)
  for (let round = 0; round < 2000; round++) {
    const damaged = packed.with(Math.floor(random() * packed.length), Math.floor(random() * 256))
    expect([undefined, documentAt(7)]).toContain(unpackDocument(damaged))
  }
  for (const other of [null, 'text', 7, packed.slice(0, -1)]) expect(unpackDocument(other)).toBeUndefined()
})

const documentAt = (version: number) =>
  JSON.stringify({ schema: 1, version, calls: { [`call-${version}`]: 'suspended' }, same: 'x'.repeat(400) })

/** A run of so many checkpoints in a file, with others beside it. */
async function fileOf(path: string, count: number): Promise<void> {
  const store = sqliteStore(path)
  for (const id of ['one', 'two']) {
    const driver = await createDriver(store, id)
    for (let version = 1; version <= count; version++) {
      await driver.commit({ entries: [says(`message ${version}`), checkpoint(documentAt(version))] })
    }
  }
  await store.close()
}

test('CKP-08 SQLite: reads the state at any checkpoint', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await fileOf(path, 40)
  const store = sqliteStore(path)
  for (let version = 1; version <= 40; version++) {
    expect((await store.checkpoint('two', version)).checkpoint?.document).toBe(documentAt(version))
  }
  expect((await store.read('one')).checkpoint?.document).toBe(documentAt(40))
  await store.close()
})

test('CKP-08 SQLite: continues exactly if two connections write checkpoints of one run in turns', async () => {
  using folder = temporaryFolder()
  // Stores opened otherwise have connections of their own.
  const first = sqliteStore(folder.file('runs.db'))
  const second = sqliteStore(folder.file('runs.db'), { pollMs: 100 })
  const driver = await createDriver(first, 'run')
  for (let version = 1; version <= 30; version++) {
    const store = version % 6 < 3 ? first : second
    const next = driverOf(store, driver.lease, { version: version - 1, seq: version - 1 })
    await next.commit({ entries: [checkpoint(documentAt(version))] })
  }
  for (const store of [first, second]) {
    for (let version = 1; version <= 30; version++) {
      expect((await store.checkpoint('run', version)).checkpoint?.document).toBe(documentAt(version))
    }
    await store.close()
  }
})

/** Ways to damage the last checkpoint of run "two". */
const damages = [
  { sql: "UPDATE log SET document = '~' WHERE id = $base + 12" },
  { sql: "UPDATE log SET document = x'789c' WHERE id = $base + 12" },
  { sql: 'UPDATE log SET document = CAST(substr(document, 1, 20) AS BLOB) WHERE id = $base + 12' },
  { sql: 'UPDATE log SET document = (SELECT document FROM runs LIMIT 1) WHERE id = $base + 12' },
]

test.for(damages)('CKP-09 SQLite: a damaged checkpoint damages only its own run ($sql)', async ({ sql }) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await fileOf(path, 6)
  const database = new DatabaseSync(path)
  database.exec(sql.replace('$base', String(2 * 2 ** 24)))
  database.close()
  const store = sqliteStore(path)
  await expect(store.read('two')).rejects.toMatchObject({
    code: 'run_damaged',
    message: expect.stringContaining('log row 12 does not give its document back'),
  })
  expect((await store.read('one')).checkpoint?.document).toBe(documentAt(6))
  expect((await store.list()).map((run) => 'damaged' in run)).toEqual([false, false])
  await store.close()
})

test('CKP-09 SQLite: unpacks a document after the claim is written, and releases the lease if that fails', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await fileOf(path, 6)
  const database = new DatabaseSync(path)
  database.exec("UPDATE log SET document = x'00' WHERE document IS NOT NULL")
  database.exec('UPDATE runs SET lease_expires = 0')
  const store = sqliteStore(path)
  await expect(store.claim('one', currentOwner('a'), 1000)).rejects.toMatchObject({ code: 'run_damaged' })
  expect({ ...database.prepare("SELECT fence, owner FROM runs WHERE id = 'one'").get() }).toEqual({
    fence: 2,
    owner: null,
  })
  database.close()
  await store.close()
})
