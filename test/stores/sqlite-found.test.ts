import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { restoreDump } from '../../proof/fixtures/dump-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
const textOf = (layout: string, name: string) => readFileSync(join(fixtures, layout, name), 'utf8')
const layouts = readdirSync(fixtures).filter((name) => !/^layout-[5-9]/.test(name))

test.for(layouts)('CKP-07 SQLite: runs of %s are found by the prompts they were started with', async (layout) => {
  for (const name of ['two-turns.1.sql', 'two-turns.8.sql']) {
    using place = temporaryFolder()
    restoreDump(place.file('old.db'), [textOf(layout, 'schema.sql'), textOf(layout, name)])
    const store = sqliteStore(place.file('old.db'))
    expect((await store.list()).map((run) => 'prompt' in run && run.prompt)).toEqual(['Hi'])
    await store.close()
  }
})

/** What the inputs of some runs hold, and what is found of each. */
const inputs: readonly (readonly [input: string, found: object])[] = [
  ['{"prompt":', {}],
  ['null', {}],
  ['"text"', {}],
  ['[1]', {}],
  ['{"messages":"Hi","subject":7,"labels":[]}', {}],
  ['{"messages":["Hi",{"role":"user","content":"Hi"},{"role":"user","content":[7,{"text":8}]}]}', {}],
  ['{"messages":[],"subject":"order","labels":{"team":"north"}}', { subject: 'order', labels: { team: 'north' } }],
  ['{"labels":{"team":7}}', {}],
  [said('  \n\tFirst line \r\nsecond'), { prompt: 'First line' }],
  [said('earlier', 'later'), { prompt: 'later' }],
  [said('earlier', ' \n '), { prompt: 'earlier' }],
  [said('🏃'.repeat(300)), { prompt: '🏃'.repeat(200) }],
]

function said(...texts: readonly string[]): string {
  const messages = texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 }))
  return JSON.stringify({ messages })
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Runs of layout 4 that are done and have these inputs. */
function layoutFour(path: string, given: readonly string[]): void {
  const rows = given.flatMap((input, index) => [
    `INSERT INTO runs (number, id, agent, status, created_at, updated_at, version, fence, lease_expires)
     VALUES (${index + 1}, 'run-${index + 1}', 'test', 'done', ${index + 1}, 0, 0, 1, 0);`,
    `INSERT INTO inputs (number, body) VALUES (${index + 1}, ${quoted(input)});`,
  ])
  restoreDump(path, [textOf('layout-4-schema-3', 'schema.sql'), rows.join('\n')])
}

test('CKP-07 SQLite: what a run of an earlier layout is found by is read of its input, whatever that holds', async () => {
  using place = temporaryFolder()
  layoutFour(
    place.file('old.db'),
    inputs.map(([input]) => input),
  )
  const store = sqliteStore(place.file('old.db'))
  const listed = await store.list()
  const found = listed.toReversed().map(({ id: _, ...run }) => {
    const { subject, labels, prompt } = 'damaged' in run ? {} : run
    return JSON.parse(JSON.stringify({ subject, labels, prompt })) as unknown
  })
  expect(found).toEqual(inputs.map(([, each], index) => ({ subject: `run-${index + 1}`, ...each })))
  expect((await store.list({ labels: { team: 'north' } })).map(({ id }) => id)).toEqual(['run-7'])
  expect((await store.list({ subject: 'order' })).map(({ id }) => id)).toEqual(['run-7'])
  await store.close()
})

test('CKP-07 SQLite: the prompt of a run that carries a conversation on is its own', async () => {
  using place = temporaryFolder()
  const path = place.file('old.db')
  layoutFour(path, ['{"messages":[],"carried":2}', '{"messages":[],"carried":1.5}', '{"messages":[]}'])
  const message = (role: string, text: string) =>
    JSON.stringify({ message: { role, content: [{ type: 'text', text }] } })
  const bodies = [
    message('user', 'copied'),
    message('assistant', 'Hello'),
    message('user', 'own'),
    message('user', 'not'),
  ]
  const database = new DatabaseSync(path)
  const insert = database.prepare("INSERT INTO log (id, version, kind, body) VALUES (?, 1, 'message', ?)")
  for (const run of [1, 2]) for (const [index, body] of bodies.entries()) insert.run(run * 2 ** 24 + index + 1, body)
  insert.run(3 * 2 ** 24 + 1, '{"message":')
  database.close()
  const store = sqliteStore(path)
  expect((await store.list()).map((run) => 'prompt' in run && run.prompt)).toEqual([false, 'copied', 'own'])
  await store.close()
})

test('CKP-07 SQLite: a file of an earlier layout is brought forward where a page of inputs cannot be read', async () => {
  using place = temporaryFolder()
  const path = place.file('old.db')
  layoutFour(path, [said('Hello')])
  const database = new DatabaseSync(path)
  const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'inputs'").get()?.['rootpage'])
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(1024, 0xff), 0, 1024, (root - 1) * 1024)
  closeSync(file)
  const store = sqliteStore(path)
  expect(await store.list()).toEqual([expect.objectContaining({ id: 'run-1', status: 'done' })])
  expect(await store.changeSession({ ...session, id: 'new' }, 0)).toBeGreaterThan(0)
  await store.close()
})

const session = { id: 's', agent: 'a', metadata: {}, createdAt: 1, counters: {}, runs: 0, queued: [] }
