import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string
let store: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  store = join(cwd, '.statewright', 'runs.db')
})

const demo = ['run', 'Look around', '--model', 'scripted']

test.each([
  [[], 2, 'No command given.'],
  [['fly'], 2, 'Unknown command "fly".'],
  [['run'], 2, '"run" needs <prompt>.'],
  [['run', ''], 2, 'The prompt is empty.'],
  [['run', '  \n'], 2, 'The prompt is empty.'],
  [['run', 'hi'], 2, 'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY'],
  [['run', 'hi', '--model', 'anthropic'], 2, 'ANTHROPIC_API_KEY is not set.'],
  [['run', 'hi', '--model', 'oracle/9'], 2, 'The model "oracle/9" is not known.'],
  [['run', 'hi', '--fast'], 2, "Unknown option '--fast'."],
  [['run', 'hi', '--store', ''], 2, 'An empty path was given.'],
  [['run', 'hi', '--model', 'scripted', '--root', 'missing'], 2, 'There is no folder'],
  [['runs', '--root', 'missing'], 2, 'There is no folder'],
  [['runs', '--store', 'missing.db'], 4, 'There is no store at'],
  [['runs', '--store', 'missing/runs.db'], 4, 'There is no store at'],
  [['show', 'run-1'], 4, 'There is no store at'],
  [['resume', 'run-1'], 4, 'There is no store at'],
  [['approve', 'run-1'], 4, 'There is no store at'],
])(
  'CLI-01 answers %j with exit code %i and a line that gives the reason, and creates nothing',
  async (argv, code, message) => {
    const called = await call(argv, { cwd })
    expect(called.code).toBe(code)
    expect(called.err).toMatch(/^statewright: /)
    expect(called.err).toContain(message)
    expect(called.err + called.out).not.toMatch(/^ {4}at /m)
    expect(await readdir(cwd)).toEqual([])
  },
)

test.each([
  [['show', 'no-such-run'], 4, 'The store has no run "no-such-run".'],
  [['resume', 'no-such-run'], 4, 'The store has no run "no-such-run".'],
  [['cancel', 'no-such-run'], 4, 'The store has no run "no-such-run".'],
  [['deny', 'no-such-run'], 4, 'The store has no run "no-such-run".'],
  [['respond', 'no-such-run', 'call', 'value'], 4, 'The store has no run "no-such-run".'],
  [['show', '../../etc/passwd'], 2, '"../../etc/passwd" cannot be the id of a run.'],
  [['approve', 'a/b'], 2, '"a/b" cannot be the id of a run.'],
  [['cancel', 'a\u0000b'], 2, 'cannot be the id of a run.'],
  [['resume', ''], 2, '"" cannot be the id of a run.'],
  [['show', 'x'.repeat(129)], 2, 'cannot be the id of a run.'],
  [['runs', '--status', 'sleeping'], 2, 'Unknown status "sleeping".'],
])(
  'CLI-01 answers %j beside a stored run with exit code %i and a line that gives the reason',
  async (argv, code, message) => {
    await call(demo, { cwd })
    const called = await call(argv, { cwd })
    expect(called.code).toBe(code)
    expect(called.err).toContain(message)
    expect(called.err).not.toMatch(/^ {4}at /m)
  },
)

test('CLI-01 refuses --input that is not JSON, with an example, and stores no decision', async () => {
  const run = runIdIn(await call(demo, { cwd }))
  const called = await call(['approve', run, '1.scripted-0-0', '--input', '{"path":'], { cwd })
  expect(called.code).toBe(2)
  expect(called.err).toBe(`statewright: --input is not JSON: {"path":\n  For example: '{"path":"notes.md"}'\n`)
  expect((await call(['show', run], { cwd })).out).toContain('needs approval')
})

test('CLI-01 ends with one JSON object at every failure, including an unreadable command line', async () => {
  expect(lastLine(await call(['fly', '--json'], { cwd }))).toEqual({
    command: null,
    exitCode: 2,
    error: {
      code: 'unknown_command',
      message: 'Unknown command "fly".',
      hints: [expect.stringContaining('Known: run')],
    },
  })
  expect(lastLine(await call(['show', 'run-1', '--json'], { cwd }))).toMatchObject({
    command: 'show',
    exitCode: 4,
    error: { code: 'no_store' },
  })
})

test('CLI-01 removes escape sequences from what it repeats of the command line', async () => {
  const { err } = await call(['show', '\u001b[31mred\u001b[0m\u202e'], { cwd })
  for (const unsafe of ['\u001b', '\u202e']) expect(err).not.toContain(unsafe)
})

test('CLI-01 refuses a file that is not a database and one of another program, and leaves both unchanged', async () => {
  const text = join(cwd, 'text.db')
  await writeFile(text, 'This is a text, and a long one at that. '.repeat(100))
  const foreign = join(cwd, 'foreign.db')
  const other = new DatabaseSync(foreign)
  other.exec('CREATE TABLE mine (x); INSERT INTO mine VALUES (1)')
  other.close()
  for (const file of [text, foreign]) {
    const before = await readFile(file)
    for (const argv of [demo, ['runs'], ['show', 'run-1']]) {
      const called = await call([...argv, '--store', file, '--json'], { cwd })
      expect(called.code).toBe(4)
      expect(lastLine(called)).toMatchObject({ error: { code: 'store_foreign' } })
    }
    expect(await readFile(file)).toEqual(before)
  }
})

test('CLI-01 refuses a store that is a folder, or whose folder cannot be created', async () => {
  await writeFile(join(cwd, 'file'), '')
  await mkdir(join(cwd, 'folder'))
  expect(await call([...demo, '--store', 'folder'], { cwd })).toMatchObject({ code: 4 })
  expect(await call([...demo, '--store', 'file/runs.db'], { cwd })).toMatchObject({ code: 4 })
})

test('CLI-01 refuses a root that is a file, and explains why a store is inaccessible', async () => {
  await writeFile(join(cwd, 'file'), '')
  const root = await call([...demo, '--root', 'file'], { cwd })
  expect(root).toMatchObject({ code: 2, out: '' })
  expect(root.err).toContain(`There is no folder ${join(cwd, 'file')}.`)
  await writeFile(join(cwd, '.statewright'), '')
  for (const argv of [['runs'], ['runs', '--store', 'file/runs.db']]) {
    const { code, err } = await call(argv, { cwd })
    expect(code).toBe(4)
    expect(err).toContain('cannot be read: ENOTDIR.')
  }
})

test('CLI-01 refuses a truncated store', async () => {
  const run = runIdIn(await call(demo, { cwd }))
  await truncate(store, 10_000)
  const called = await call(['show', run], { cwd })
  expect(called.code).toBe(4)
  expect(called.err).toMatch(/^statewright: .*damaged/)
})

test('CLI-01 refuses a store of a later layout with advice, and leaves it unchanged', async () => {
  await call(demo, { cwd })
  const database = new DatabaseSync(store)
  database.exec('PRAGMA user_version = 99')
  database.close()
  const before = await readFile(store)
  for (const argv of [['runs'], ['watch', 'last'], ['studio'], demo]) {
    const { code, out, err } = await call(argv, { cwd })
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/has layout 99; .* reads layout \d+\. Nothing was changed: use the version that wrote it/)
  }
  expect((await readFile(store)).equals(before)).toBe(true)
})

test('CLI-01 names a damaged run, and lists and shows the others', async () => {
  const damaged = runIdIn(await call(demo, { cwd }))
  const whole = runIdIn(await call(demo, { cwd }))
  const database = new DatabaseSync(store)
  database.prepare("UPDATE runs SET status = 'sleeping' WHERE id = ?").run(damaged)
  database.close()
  const listed = await call(['runs'], { cwd })
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(new RegExp(`^${damaged} {2}damaged`, 'm'))
  expect(listed.out).toMatch(new RegExp(`^${whole} {2}waiting`, 'm'))
  expect(await call(['show', damaged], { cwd })).toMatchObject({ code: 4 })
  expect(await call(['show', whole], { cwd })).toMatchObject({ code: 0 })
})

test('CLI-01 does not drive a run that another owner drives, but passes it a cancel', async () => {
  await call(demo, { cwd })
  const started = Promise.withResolvers<void>()
  const hanging = tool({
    name: 'hang',
    description: 'Hangs',
    input: { type: 'object' },
    execute: async (_input, { signal }) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'stopped'
    },
  })
  // Opened otherwise than by the command, as in another process: it has a connection of its own.
  const other = sqliteStore(store, { pollMs: 250 })
  const labels = { root: cwd, model: 'scripted/scripted' }
  const model = scripted([{ toolCalls: [{ name: 'hang', arguments: {} }] }])
  const run = createAgent({ name: 'statewright', model, tools: [hanging], store: other }).start('Hang', { labels })
  const settled = run.settled()
  await started.promise
  const resumed = await call(['resume', run.id, '--model', 'scripted'], { cwd })
  expect(resumed.code).toBe(4)
  expect(resumed.err).toContain(`Run "${run.id}" is driven by process ${process.pid}`)
  const cancelled = await call(['cancel', run.id], { cwd })
  expect(cancelled).toMatchObject({ code: 0, err: '' })
  expect(cancelled.out).toContain('cancel stored; Run')
  expect(await settled).toMatchObject({ status: 'done', outcome: { reason: 'cancelled' } })
  await other.close()
})
