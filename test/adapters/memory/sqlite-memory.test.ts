import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { sqliteMemory, type SqliteMemoryOptions } from '../../../src/adapters/memory/sqlite/index.ts'
import { wordsIn } from '../../../src/adapters/memory/memory-words.ts'
import type { Embed } from '../../../src/core/ports/memory.ts'
import { memorySuite } from '../../../src/testing/index.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { findingCases } from './finding-cases.ts'

const suite = memorySuite(async () => {
  const memory = sqliteMemory(':memory:')
  return { memory, dispose: async () => memory.close() }
})

for (const { name, run } of suite) test(`CTX-05 SQLite: ${name}`, () => expect(run()).resolves.toBeUndefined())

for (const [name, run] of Object.entries(findingCases)) {
  test(`CTX-05 SQLite: ${name}`, async () => {
    const memory = sqliteMemory(':memory:')
    await expect(run(memory)).resolves.toBeUndefined()
    memory.close()
  })
}

const item = (key: string, data: string, at = 0, userId = 'ann') => ({ userId, kind: 'answer', key, data, at })

test('CTX-05 leaves no byte of a forgotten memory in any file', async () => {
  const folder = await temporaryFolder()
  const memory = sqliteMemory(join(folder, 'memory.db'))
  for (let count = 0; count < 60; count++) {
    await memory.add(
      item(`key-${count}`, `Xylophone${count} of the quixotic zeppelin ${'y'.repeat(count * 60)}`, count),
    )
    await memory.add(item(`key-${count}`, `The harbour ${count}`, count, 'bob'))
  }
  expect(bytesIn(folder)).toContain('quixotic')
  expect(await memory.forget('ann')).toBe(60)
  const bytes = bytesIn(folder).toLowerCase()
  expect(['xylophone', 'quixotic', 'zeppelin', 'yyyyyyyy'].filter((word) => bytes.includes(word))).toEqual([])
  expect(await memory.query({ userId: 'bob', input: 'harbour 7' })).toHaveLength(10)
  memory.close()
})

test("CTX-04 reports if another process's read keeps forgotten memories in the log, until forget is called again", async () => {
  const { exec } = DatabaseSync.prototype
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    exec.call(this, sql.replace('busy_timeout = 2000', 'busy_timeout = 1'))
  })
  const folder = await temporaryFolder()
  const memory = sqliteMemory(join(folder, 'memory.db'))
  await memory.add(item('key', 'Xylophone'))
  const reader = new DatabaseSync(join(folder, 'memory.db'))
  reader.exec('BEGIN; SELECT count(*) FROM memories')
  await expect(memory.forget('ann')).rejects.toMatchObject({
    code: 'memory_failed',
    message: expect.stringContaining('Call forget again.'),
  })
  expect(bytesIn(folder)).toContain('Xylophone')
  reader.close()
  await memory.forget('ann')
  expect(bytesIn(folder).toLowerCase()).not.toContain('xylophone')
  memory.close()
})

test('CTX-04 forgets many memories in parts, so that other work gets its turn, and keeps memories added meanwhile', async () => {
  const memory = sqliteMemory(':memory:')
  for (let count = 0; count < 1_000; count++) await memory.add(item(`key-${count}`, `Xylophone ${count}`, count))
  let turns = 0
  const forgetting = memory.forget('ann').finally(() => clearImmediate(turn))
  let turn = setImmediate(function next() {
    turns++
    turn = setImmediate(next)
  })
  await memory.add(item('later', 'Xylophone later', 2_000))
  expect(await forgetting).toBe(1_000)
  expect(turns).toBeGreaterThanOrEqual(49)
  expect((await memory.query({ userId: 'ann', input: 'xylophone' })).map(({ key }) => key)).toEqual(['later'])
  memory.close()
})

test('CTX-04 forgets a user in as many statements among many others as among few', async () => {
  const statements = async (others: number) => {
    const memory = sqliteMemory(':memory:')
    for (let place = 0; place < others; place++)
      await memory.add(item('key', `Harbour ${place}`, place, `user-${place}`))
    await memory.add(item('key', 'Xylophone'))
    const methods = (['all', 'get', 'run'] as const).map((method) => vi.spyOn(StatementSync.prototype, method))
    await memory.forget('ann')
    memory.close()
    const count = methods.flatMap(({ mock }) => mock.calls).length
    for (const method of methods) method.mockRestore()
    return count
  }
  expect(await statements(4_000)).toBe(await statements(2))
})

function bytesIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('')
}

test("CTX-04 finds ten of one user's ten thousand memories", async () => {
  const path = join(await temporaryFolder(), 'memory.db')
  const memory = sqliteMemory(path)
  const other = new DatabaseSync(path)
  const owner = createHash('sha256').update('ann').digest('hex')
  const counting = 'WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)'
  other.exec(`BEGIN;
    INSERT INTO memories (number, owner, kind, data, key, at)
      ${counting} SELECT n, '${owner}', 'answer', '"word"', 'key-' || n, n FROM counted;
    INSERT INTO memory_text (rowid, owner, text) ${counting} SELECT n, '${owner}', 'word' FROM counted;
    COMMIT`)
  other.close()
  const found = await memory.query({ userId: 'ann', input: 'word' })
  expect(found.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, place) => `key-${10_000 - place}`))
  memory.close()
})

test('CTX-04 searches for as many words of an input as fit, in a file that only its owner can read', async () => {
  const path = join(await temporaryFolder(), 'memory.db')
  sqliteMemory(path).close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const many = Array.from({ length: 1000 }, (_, index) => `word${index}`)
  expect(wordsIn(many.join(' '), 'english')).toEqual(many.slice(0, 64))
  expect(wordsIn(`${' '.repeat(10_000)}late`, 'plain')).toEqual([])
})

test("CTX-04 keeps at most the allowed number of a user's memories, the newest ones", async () => {
  const memory = sqliteMemory(':memory:', { maxRows: 20 })
  for (let count = 0; count < 25; count++) await memory.add(item(`key-${count}`, `word w${count}`, count))
  await memory.add(item('key-24', 'word w24', 24))
  await memory.add(item('key-1', 'word w1', 1, 'bob'))
  expect(await memory.query({ userId: 'ann', input: 'w4' })).toEqual([])
  expect(await memory.query({ userId: 'ann', input: 'w5' })).toHaveLength(1)
  expect(await memory.forget('ann')).toBe(20)
  memory.close()
})

test('CTX-04 returns at most the allowed bytes, but always the nearest memory', async () => {
  const memory = sqliteMemory(':memory:', { limitBytes: 1000 })
  for (let count = 0; count < 5; count++) await memory.add(item(`key-${count}`, `word ${'x'.repeat(400)}`, count))
  expect(await memory.query({ userId: 'ann', input: 'word' })).toHaveLength(2)
  await memory.add(item('large', `large ${'x'.repeat(4000)}`))
  expect(await memory.query({ userId: 'ann', input: 'large' })).toHaveLength(1)
  memory.close()
})

test('CTX-04 serves two users at once, and still remembers after it was closed', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'memory.db')
  const [one, other] = [sqliteMemory(path), sqliteMemory(path)]
  await one.add(item('k1', 'tea'))
  await other.add(item('k2', 'tea'))
  expect(await one.query({ userId: 'ann', input: 'tea' })).toHaveLength(2)
  one.close()
  other.close()
  const again = sqliteMemory(path)
  expect(await again.query({ userId: 'ann', input: 'tea' })).toHaveLength(2)
  again.close()
})

test('CTX-04 refuses a damaged file or a file that is not a memory, and does not change it', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'other.db')
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE runs (id TEXT)')
  other.close()
  const before = readFileSync(path)
  expect(() => sqliteMemory(path)).toThrow(
    `The file "${path}" is not a memory. Expected a memory of layout 2. Name another file; nothing in this one was changed.`,
  )
  expect(readFileSync(path)).toEqual(before)
  const damaged = join(folder, 'damaged.db')
  writeFileSync(damaged, 'SQLite format 3\0'.padEnd(5000, 'x'))
  expect(() => sqliteMemory(damaged)).toThrow(expect.objectContaining({ name: 'MemoryError', code: 'memory_foreign' }))
  const foreign = join(folder, 'foreign.db')
  const program = new DatabaseSync(foreign)
  program.exec('PRAGMA user_version = 1; CREATE TABLE notes (text TEXT)')
  program.close()
  const ofProgram = readFileSync(foreign, 'hex')
  expect(() => sqliteMemory(foreign)).toThrow('is not a memory')
  expect(readFileSync(foreign, 'hex')).toBe(ofProgram)
  const torn = join(folder, 'torn.db')
  sqliteMemory(torn).close()
  const tearing = new DatabaseSync(torn)
  tearing.exec('DROP TABLE memories')
  tearing.close()
  expect(() => sqliteMemory(torn)).toThrow(expect.objectContaining({ name: 'MemoryError', code: 'memory_foreign' }))
})

test('CTX-04 refuses invalid memories, and says what is expected', async () => {
  const memory = sqliteMemory(':memory:', { maxBytes: 100 })
  const large = memory.add(item('k1', 'x'.repeat(99)))
  await expect(large).rejects.toThrow('The data of memory "k1" has 101 bytes. Expected JSON of at most 100 bytes.')
  await expect(memory.add({ ...item('k1', 'x'), userId: '' })).rejects.toThrow(
    'Option userId of memory.add is "", which is refused. Expected a non-empty text.',
  )
  memory.close()
  await expect(memory.query({ userId: 'ann', input: 'tea' })).rejects.toThrow(
    expect.objectContaining({ code: 'memory_failed' }),
  )
})

test.for<[SqliteMemoryOptions, string]>([
  [{ limit: 0 }, 'limit'],
  [{ maxRows: 1.5 }, 'maxRows'],
])('CTX-04 refuses invalid limits: %o', ([options, field]) => {
  expect(() => sqliteMemory(':memory:', options)).toThrow(field)
})

test.for<readonly ['english' | 'plain', readonly string[]]>([
  ['english', ['k1', 'k2']],
  ['plain', ['k2']],
])('CTX-04 rebuilds the index of a file that was made for another language: %s', async ([language, keys]) => {
  const path = join(await temporaryFolder(), 'memory.db')
  const before = sqliteMemory(path, { language: language === 'plain' ? 'english' : 'plain' })
  await before.add(item('k1', 'three puppies', 1))
  await before.add(item('k2', 'one puppy', 0))
  before.close()
  const memory = sqliteMemory(path, { language })
  expect((await memory.query({ userId: 'ann', input: 'the puppy' })).map(({ key }) => key)).toEqual(keys)
  expect(await memory.query({ userId: 'ann', input: 'the' })).toEqual([])
  memory.close()
})

/** Texts near each other share a topic. */
const topics: Readonly<Record<string, readonly number[]>> = { sea: [1, 0], ship: [0.9, 0.1], bread: [0, 1] }
const byTopic: Embed = async (texts) => texts.map((text) => topics[text] ?? [0.5, 0.5])

test('CTX-04 finds memories by meaning without a common word, merged with those found by words', async () => {
  const memory = sqliteMemory(':memory:', { embed: byTopic })
  for (const [at, text] of ['sea', 'bread', 'ship'].entries()) await memory.add(item(text, text, at))
  const keys = async (input: string) => (await memory.query({ userId: 'ann', input })).map(({ key }) => key)
  expect(await keys('sea')).toEqual(['sea', 'ship', 'bread'])
  expect(await memory.query({ userId: 'bob', input: 'sea' })).toEqual([])
  expect(await memory.forget('ann')).toBe(3)
  expect(await keys('sea')).toEqual([])
  memory.close()
})

test.each<readonly [string, Embed]>([
  ['throws', () => Promise.reject(new Error('no model'))],
  ['gives NaN', async () => [[Number.NaN, 1]]],
  ['gives numbers without end', async () => [[Number.MAX_VALUE]]],
  ['gives zeros', async () => [[0, 0]]],
  ['gives an empty vector', async () => [[]]],
  ['gives fewer vectors than texts', async () => []],
  ['gives no vectors', async () => JSON.parse('{"data":1}')],
])('CTX-04 stores and finds by words if the model %s, and reports it', async (_, embed) => {
  const memory = sqliteMemory(':memory:', { embed })
  await expect(memory.add(item('k1', 'tea'))).rejects.toMatchObject({
    code: 'embed_failed',
    message: expect.stringContaining('Option embed of the memory'),
  })
  expect((await memory.query({ userId: 'ann', input: 'tea' })).map(({ key }) => key)).toEqual(['k1'])
  memory.close()
})

test('CTX-04 ignores vectors of another length, and embeds a memory again when it is added again', async () => {
  let vector: readonly number[] = [1, 0, 0]
  const memory = sqliteMemory(':memory:', { embed: async () => [vector] })
  await memory.add(item('k1', 'sea'))
  vector = [1, 0]
  expect(await memory.query({ userId: 'ann', input: 'ship' })).toEqual([])
  await memory.add(item('k1', 'sea'))
  expect(await memory.query({ userId: 'ann', input: 'ship' })).toHaveLength(1)
  memory.close()
})

test('CTX-04 finds by meaning the memories embedded before the model failed, and the rest by words', async () => {
  let left = 2
  const failing: Embed = async (texts) => {
    if (left-- <= 0) throw new Error('The model is gone.')
    return await byTopic(texts)
  }
  const memory = sqliteMemory(':memory:', { embed: failing })
  await memory.add(item('sea', 'sea', 0))
  await memory.add(item('ship', 'ship', 1))
  await expect(memory.add(item('boat', 'boat', 2))).rejects.toMatchObject({ code: 'embed_failed' })
  const keys = async (input: string) => (await memory.query({ userId: 'ann', input })).map(({ key }) => key)
  expect(await keys('boat')).toEqual(['boat'])
  left = 1
  expect(await keys('sea')).toEqual(['sea', 'ship'])
  left = 1
  await memory.add(item('boat', 'boat', 2))
  left = 1
  expect(await keys('sea')).toEqual(['sea', 'ship', 'boat'])
  memory.close()
})
