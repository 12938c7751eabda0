import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, ModelError } from '../../../src/index.ts'
import type { NewRunOptions } from '../../../src/ports.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

const demo = ['run', 'Look around', '--model', 'scripted']

/** A finished run of these replies. */
async function finishedRun(
  replies: readonly ScriptedReply[],
  prompt = 'Go',
  options: NewRunOptions = {},
): Promise<string> {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const agent = createAgent({ name: 'statewright', model: scripted(replies), store, retry: { maxRetries: 0 } })
  const { runId } = await agent.run(prompt, { ...options, labels: { root: cwd, model: 'scripted/scripted' } })
  await store.close()
  return runId
}

test('CLI-01 shows status, checkpoints in order, transcript and suspended calls', async () => {
  await writeFile(join(cwd, 'README.md'), 'A project\n')
  const run = runIdIn(await call(demo, { cwd }))
  const { code, out } = await call(['show', run], { cwd })
  expect(code).toBe(0)
  const places = [
    `run ${run} waiting`,
    'checkpoints',
    'UserMessage',
    'AssistantTurnCommitted',
    'ToolResultsCommitted',
    'RunFinished',
    'user\n  Look around',
    'assistant (scripted/scripted)\n  I look at',
    '  → list_files {}',
    'list_files (',
    '  A project',
    'each answer leads to',
    'write_file (',
    '    approve  "write_file" runs with the arguments that are shown. The model is asked next.',
    '    edit     "write_file" runs with other arguments, if they fit its schema',
    '    deny     "write_file" does not run, and the model is told that it was denied. The model is asked next.',
    'suspended write_file',
    '  approve: statewright approve',
  ].map((text) => out.indexOf(text))
  expect(places).toEqual(places.toSorted((left, right) => left - right))
  expect(places[0]).toBe(0)
})

test('CLI-01 shows who decided what about a call, when and why', async () => {
  const run = runIdIn(await call(demo, { cwd }))
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const target = (await store.calls(run)).find(({ record }) => record.status === 'suspended')?.record.callId ?? ''
  const at = Date.UTC(2026, 0, 2, 3, 4, 5)
  const why = { by: 'Ann\u001b[31m', reason: 'It is\ndue.' }
  await store.decide(run, [{ target, action: 'cancel', ...why }], at)
  await store.close()
  const { out } = await call(['show', run], { cwd })
  expect(out).toContain('decisions\n  2026-01-02T03:04:05.000Z  cancel')
  expect(out).toMatch(/ by Ann\S*: It is due\.\n/)
  expect(out).not.toContain('\u001b[31m')
  const decision = { callId: target, action: 'cancel', ...why, at }
  expect(lastLine(await call(['show', run, '--json'], { cwd }))).toMatchObject({ decisions: [decision] })
})

test('CLI-01 prints the whole run as JSON', async () => {
  const run = await finishedRun([{ text: 'x'.repeat(100_000) }])
  expect(lastLine(await call(['show', run, '--json'], { cwd }))).toMatchObject({
    command: 'show',
    exitCode: 0,
    run: { id: run, status: 'done', reason: 'natural_end' },
    text: 'x'.repeat(100_000),
    suspended: [],
    checkpoints: [{ names: ['UserMessage'] }, { names: ['AssistantTurnCommitted', 'RunFinished'] }],
    transcript: [{ role: 'user' }, { role: 'assistant' }],
  })
})

test('AGT-09 reports the transcript as history only for a run that was started with it', async () => {
  const asked = await finishedRun(['Hello.'], 'Go', { history: true })
  expect(lastLine(await call(['show', asked, '--json'], { cwd }))).toMatchObject({
    history: [{ role: 'user' }, { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }],
  })
  const plain = await finishedRun(['Hello.'])
  expect(lastLine(await call(['show', plain, '--json'], { cwd }))).not.toHaveProperty('history')
})

test('CLI-01 shortens a long text for a person and shows by how much', async () => {
  const run = await finishedRun(['line\n'.repeat(100)])
  const { out } = await call(['show', run], { cwd })
  expect(out).toContain('[… 60 lines more: show them with --full]')
  expect((await call(['show', run, '--full'], { cwd })).out.match(/^  line$/gm)).toHaveLength(100)
})

test('CLI-01 removes escape sequences from a transcript, and keeps them in its JSON', async () => {
  const text = '\u001b]0;owned\u0007\u001b[2Jhello\u202e'
  const run = await finishedRun([text], text)
  const { out } = await call(['show', run], { cwd })
  expect(out.match(/^ {2}hello\\u\{202e\}$/gm)).toHaveLength(2)
  for (const unsafe of ['\u001b', '\u0007', '\u202e']) expect(out).not.toContain(unsafe)
  const called = await call(['show', run, '--json'], { cwd })
  for (const unsafe of ['\u001b', '\u0007', '\u202e']) expect(called.err).not.toContain(unsafe)
  expect(lastLine(called)).toMatchObject({ text })
})

test('CLI-01 exits with 1 for a run that ended in an error, and shows the error', async () => {
  const run = await finishedRun([{ error: new ModelError('api', 'no such model') }])
  const resumed = await call(['resume', run], { cwd })
  expect(resumed.code).toBe(1)
  expect(resumed.out).toContain('error: no such model')
  expect(resumed.out).toContain(`The run has ended. Continue it in a new run: statewright prompt ${run} "<text>"\n`)
})

test.each<[ScriptedReply, string]>([
  [{ text: 'Half of', stopReason: 'length' }, 'the last answer reached its token limit and was cut off'],
])('CLI-01 warns that the answer %j is incomplete', async (reply, warning) => {
  const run = await finishedRun(Array.from({ length: 8 }, () => reply))
  const shown = await call(['show', run, '--json'], { cwd })
  expect(shown.err).toContain(`warning: ${warning}\n`)
  expect(lastLine(shown)).toMatchObject({ warning })
})

test('CLI-01 lists runs newest first and by status', async () => {
  const waiting = runIdIn(await call(demo, { cwd }))
  const done = await finishedRun(['Done.'])
  const ids = async (argv: readonly string[]) => {
    const { out } = await call(['runs', ...argv], { cwd })
    return out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0])
  }
  expect(await ids([])).toEqual([done, waiting])
  expect(await ids(['--status', 'waiting'])).toEqual([waiting])
  expect(lastLine(await call(['runs', '--status', 'done', '--json'], { cwd }))).toMatchObject({
    command: 'runs',
    exitCode: 0,
    runs: [{ id: done, status: 'done', reason: 'natural_end' }],
  })
})

test.each(['runs', 'sessions'])('CLI-01 lists no %s if there is no store', async (what) => {
  expect(await call([what], { cwd })).toEqual({ code: 0, out: `no ${what}\n`, err: '' })
})

test('CLI-01 prints its help and its version', async () => {
  expect((await call(['help'], { cwd })).out).toContain('Usage: statewright <command>')
  const manifest: unknown = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  const { out } = await call(['--version'], { cwd })
  expect(manifest).toMatchObject({ version: out.trim() })
})

test('CLI-01 reports that there are more runs than the hundred listed', async () => {
  await finishedRun(['Bye'])
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const agent = createAgent({ name: 'statewright', model: scripted(['Bye']), store })
  for (let made = 1; made < 100; made++) await agent.run('Go')
  const whole = await call(['runs', '--json'], { cwd })
  expect(whole.err).not.toContain('these are the newest')
  expect(lastLine(whole)).toMatchObject({ hasMore: false, runs: { length: 100 } })

  await agent.run('Go')
  await store.close()
  const cut = await call(['runs', '--json'], { cwd })
  expect(cut.err).toContain('[100 of 101 runs: these are the newest. Narrow them with --status running|waiting|done.]')
  expect(lastLine(cut)).toMatchObject({ hasMore: true, total: 101, runs: { length: 100 } })
})

test('CLI-01 wraps a transcript on a terminal and shows its Markdown, but not in a pipe and in JSON', async () => {
  const text = 'Some **bold words** that are too many for one row.'
  const run = await finishedRun([text])
  const shown = await call(['show', run], { cwd, columns: 24, answers: [], env: { TERM: 'xterm' } })
  expect(shown.out).toContain(
    '\n  Some \u001b[1mbold\u001b[22m \u001b[1mwords\u001b[22m that\n  are too many for one\n  row.\n',
  )
  expect((await call(['show', run], { cwd })).out).toContain(`\n  ${text}\n`)
  const json = await call(['show', run, '--json'], { cwd, columns: 24, answers: [], env: { TERM: 'xterm' } })
  expect(json.err).toContain(`\n  ${text}\n`)
  expect(lastLine(json)).toMatchObject({ text, usage: { totalTokens: 0 } })
})

test("CLI-01 cuts a call's arguments to one row on a terminal, and shows all of them with --full", async () => {
  const run = runIdIn(await call(demo, { cwd, answers: [] }))
  await writeFile(join(cwd, 'README.md'), 'A project\n')
  const options = { cwd, columns: 40, answers: [], env: { NO_COLOR: '1' } }
  const cut = /^ {2}→ write_file .*$/m.exec((await call(['show', run], options)).out)?.[0] ?? ''
  expect(cut).toMatch(/…$/)
  expect(cut).toHaveLength(39)
  const whole = /^ {2}→ write_file (.*)$/m.exec((await call(['show', run, '--full'], options)).out)?.[1] ?? ''
  expect(JSON.parse(whole)).toMatchObject({ path: 'statewright-demo.md' })
})
