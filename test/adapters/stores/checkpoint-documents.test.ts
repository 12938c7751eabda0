import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { pick, randomFrom } from '../../../proof/support/random.ts'
import {
  type CheckpointChain,
  keepDocument,
  mostDifferences,
  readDocument,
} from '../../../src/adapters/stores/sqlite/checkpoint-documents.ts'
import { currentOwner } from '../../../src/core/domain/owner.ts'
import { hashText } from '../../../src/core/domain/text/json.ts'
import { startingText } from '../../../src/adapters/stores/sqlite/starting-text.ts'
import { decodeDifference, encodeDifference } from '../../../src/adapters/stores/sqlite/text-difference.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { checkpoint, createDriver, driverOf, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const words = [
  '"status":"active",',
  '"calls":{}',
  'suspended',
  '~',
  '5:',
  ',3;',
  '😀',
  'é',
  '\u0000',
  '0123456789abcdef',
]

/** Texts that each keep most of the one before. */
function texts(seed: number, count: number): readonly string[] {
  const random = randomFrom(seed)
  const made: string[] = []
  for (let index = 0; index < count; index++) {
    const before = made.at(-1) ?? ''
    const parts = Array.from({ length: Math.floor(random() * 30) }, () => pick(words, random) ?? '')
    const [from, to] = [Math.floor(random() * before.length), Math.floor(random() * before.length)]
    const text = `${before.slice(0, from)}${parts.join('')}${before.slice(to)}`
    made.push(text.toWellFormed().slice(0, 4000).toWellFormed())
  }
  return made
}

/** What rows keep of these documents, written one after the other. */
function keptOf(documents: readonly string[]): readonly string[] {
  let chain: CheckpointChain | undefined
  return documents.map((document) => {
    const kept = keepDocument(document, chain)
    chain = kept.chain
    return kept.text
  })
}

function lastWhole(kept: readonly string[], index: number): number {
  return kept.findLastIndex((text, at) => at <= index && !/^~[1-9]/.test(text))
}

test('CKP-08 a difference gives its text back, and no half of a character is cut off', () => {
  for (let seed = 0; seed < 300; seed++) {
    const [known = '', text = ''] = texts(seed, 6).slice(-2)
    const difference = encodeDifference(known, text)
    expect(decodeDifference(known, difference)).toBe(text)
    expect(Buffer.from(difference).toString()).toBe(difference)
  }
})

test('CKP-08 a text of one letter over and over costs no more than any other', () => {
  const text = 'x'.repeat(300_000)
  expect(decodeDifference(text, encodeDifference(text, text))).toBe(text)
})

test('CKP-08 every checkpoint is read back exactly from the rows since the last whole one', () => {
  for (let seed = 0; seed < 60; seed++) {
    const documents = texts(seed, 40)
    const kept = keptOf(documents)
    for (const [index, document] of documents.entries()) {
      const first = lastWhole(kept, index)
      expect(index - first).toBeLessThanOrEqual(mostDifferences)
      expect(readDocument(kept.slice(first, index + 1))).toBe(document)
    }
  }
})

test('CKP-04 CKP-08 the first checkpoint differs from a text that is never changed, and so does every sixteenth', () => {
  expect([startingText.length, hashText(startingText)]).toEqual([1557, '1d9d51697955db'])
  const documents = Array.from({ length: 20 }, (_, index) => startingText.replaceAll('call', `call${index}`))
  const kept = keptOf(documents)
  expect(kept.map((text) => /^~(\w+)\./.exec(text)?.[1]).filter((sign) => sign === 's')).toHaveLength(2)
  expect(kept[0]?.length).toBeLessThan(200)
  for (const [index, document] of documents.entries()) {
    expect(readDocument(kept.slice(index < 16 ? 0 : 16, index + 1))).toBe(document)
  }
})

test('CKP-09 a row that was changed gives no document, or the one it gave', () => {
  const documents = texts(7, 40).slice(-4)
  const kept = keptOf(documents)
  const random = randomFrom(1)
  for (let round = 0; round < 2000; round++) {
    const row = 1 + Math.floor(random() * (kept.length - 1))
    const text = kept[row] ?? ''
    const at = Math.floor(random() * text.length)
    const damaged = `${text.slice(0, at)}${pick(['', '0', 'z', ';', ':', '~'], random)}${text.slice(at + 1)}`
    expect([undefined, documents.at(-1)]).toContain(readDocument(kept.with(row, damaged)))
  }
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

test('CKP-08 SQLite: reads the state at any checkpoint though rows hold what differs', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await fileOf(path, 40)
  const store = sqliteStore(path)
  for (let version = 1; version <= 40; version++) {
    expect((await store.checkpoint('two', version)).checkpoint?.document).toBe(documentAt(version))
  }
  expect((await store.read('one')).checkpoint?.document).toBe(documentAt(40))
  await store.close()
  const database = new DatabaseSync(path)
  const sizes = database.prepare("SELECT length(document) AS size FROM log WHERE kind = 'checkpoint'").all()
  expect(sizes.filter(({ size }) => Number(size) > 400)).toHaveLength(2 * Math.ceil(40 / (mostDifferences + 1)))
  database.close()
})

test('CKP-08 SQLite: goes on exactly where two connections write checkpoints of one run in turns', async () => {
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

/** Ways to damage what the last checkpoint of run "two" is read from. */
const damages = [
  { sql: "UPDATE log SET document = '~' WHERE id = $base + 12" },
  { sql: "UPDATE log SET document = '~3.00000000000000.0:' WHERE id = $base + 12" },
  { sql: "UPDATE log SET document = replace(document, 'call', 'lost') WHERE id = $base + 2" },
  { sql: "UPDATE log SET document = replace(document, '.', ';') WHERE id = $base + 8" },
  { sql: 'UPDATE log SET document = NULL WHERE id = $base + 6' },
]

test.for(damages)('CKP-09 SQLite: a damaged checkpoint damages its run alone ($sql)', async ({ sql }) => {
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

test('CKP-09 SQLite: a document is put together after the claim is written, and one that cannot be gives the lease back', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await fileOf(path, 6)
  const database = new DatabaseSync(path)
  database.exec("UPDATE log SET document = '~5.00000000000000.0:' WHERE document IS NOT NULL")
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
