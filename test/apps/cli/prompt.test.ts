import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { ModelError } from '../../../src/index.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'
import { finishedRun, listed, program } from './conversation.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

const prompted = (...argv: readonly string[]) => call(['prompt', 'first', 'Look around', ...argv], { cwd })

const shown = async (id: string) => lastLine(await call(['show', id, '--json'], { cwd }))

/** What was said to a run and what its models have answered, in order. */
async function saidIn(id: string): Promise<readonly string[]> {
  const { transcript } = await shown(id)
  const spoken = transcript as { role: string; content: { text: string }[] }[]
  return spoken.flatMap(({ role, content }) => (role === 'toolResult' ? [] : [content[0]?.text ?? '']))
}

test('CLI-01 AGT-02 continues the conversation of a finished run, in a new run that it drives and shows', async () => {
  await finishedRun(cwd)
  const before = await shown('run_first')
  const { code, out, err } = await prompted()
  expect({ code, err }).toEqual({ code: 3, err: '' })
  const id = runIdIn({ code, out, err })
  expect(out).toMatch(new RegExp(`^run ${id}\nIt goes on from run run_first\\.\n`))
  expect(out).toContain('→ read_file {"path":"README.md"')
  expect(out).not.toContain('It rains.')

  const command = /approve: statewright (.*)$/m.exec(out)?.[1] ?? ''
  expect(command).toMatch(new RegExp(`^approve ${id} \\S+$`))
  expect(await call(command.split(' '), { cwd })).toMatchObject({ code: 0, err: '' })
  expect(await readFile(join(cwd, 'statewright-demo.md'), 'utf8')).toContain('> # A project')
  expect((await saidIn(id)).slice(0, 4)).toEqual([
    'Weather?',
    'It rains.',
    'Look around',
    'I look at what is in the folder.',
  ])
  expect(await shown('run_first')).toEqual(before)
})

test('CLI-01 AGT-02 asks on a terminal, and finishes the new run on a yes', async () => {
  await finishedRun(cwd)
  const { code, out } = await call(['prompt', 'last', 'Look around'], { cwd, answers: ['y'] })
  expect(code).toBe(0)
  expect(out).toContain('Approve? [y/n/')
  expect(await readdir(cwd)).toContain('statewright-demo.md')
})

test('CLI-01 AGT-02 does not ask with --json, and ends with one object that names both runs', async () => {
  await finishedRun(cwd)
  const called = await call(['prompt', 'first', 'Look around', '--json'], { cwd, answers: ['y'] })
  expect(called.err).not.toContain('[y/n')
  expect(lastLine(called)).toMatchObject({
    command: 'prompt',
    exitCode: 3,
    run: { id: runIdIn(called), parentRunId: 'run_first', status: 'waiting', model: 'scripted/scripted', root: cwd },
    suspended: [{ toolName: 'write_file' }],
  })
})

test('CLI-01 AGT-02 leaves the new run stored at Ctrl-C, for the command it prints', async () => {
  await finishedRun(cwd)
  const stopped = await call(['prompt', 'first', 'Look around'], { cwd, interruptAt: '→ list_files' })
  expect(stopped.code).toBe(130)
  const id = runIdIn(stopped)
  expect(stopped.out).toContain(`run ${id} is stored; continue it: statewright resume ${id}\n`)
  expect((await call(['resume', id], { cwd })).code).toBe(3)
  expect((await saidIn(id)).slice(0, 3)).toEqual(['Weather?', 'It rains.', 'Look around'])
  expect(await listed(cwd)).toMatchObject({ total: 2 })
})

test('CLI-01 AGT-02 "last" continues from the newest run, so that a conversation grows prompt by prompt', async () => {
  await finishedRun(cwd)
  const prompts = ['Look around', 'Look again', 'And once more']
  let before = 'run_first'
  for (const prompt of prompts) {
    const { code, out, err } = await call(['prompt', 'last', prompt], { cwd, answers: ['y'] })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`It goes on from run ${before}.\n`)
    before = runIdIn({ code, out, err })
  }
  const said = await saidIn(before)
  expect(said.filter((text) => ['Weather?', ...prompts].includes(text))).toEqual(['Weather?', ...prompts])
})

test('CLI-01 AGT-02 uses the folder, model and sandbox of the earlier run, wherever it is called', async () => {
  await finishedRun(cwd, { shell: 'unconfined', team: 'weather' })
  const store = join(cwd, '.statewright', 'runs.db')
  const elsewhere = { cwd: await temporaryFolder() }
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
  const called = await call(['prompt', 'last', 'Look around', '--store', store], { ...elsewhere, env })
  expect(called).toMatchObject({ code: 3, err: '' })
  expect(called.out).toContain(` --store ${store}\n`)
  const { agent, store: opened, labels } = await program(cwd, [])
  const kept = await (await agent.load(runIdIn(called))).labels()
  expect(kept).toEqual({ ...labels, shell: 'unconfined', team: 'weather' })
  await opened.close()
})

test('CLI-01 AGT-02 a named model or sandbox replaces the earlier one, and is stored', async () => {
  const { agent, store, labels } = await program(cwd, ['It rains.'])
  await agent.run('Weather?', { runId: 'run_first', labels: { ...labels, model: 'anthropic/claude-of-mine' } })
  expect((await prompted()).err).toContain('ANTHROPIC_API_KEY is not set.')
  const called = await prompted('--model', 'scripted', '--shell', 'unconfined')
  expect(called.out).not.toContain('--model')
  const id = runIdIn(called)
  expect(await (await agent.load(id)).labels()).toEqual({ ...labels, shell: 'unconfined' })
  expect((await call(['deny', id], { cwd })).code).toBe(0)
  await store.close()
})

test("CLI-01 AGT-02 asks where the earlier run's folder is now, and stores the answer", async () => {
  await finishedRun(cwd, { root: join(cwd, 'gone') })
  const refused = await prompted()
  expect(refused.code).toBe(4)
  expect(refused.err).toContain(`The folder ${join(cwd, 'gone')} of run run_first does not exist any more.`)
  const called = await prompted('--root', '.')
  expect(called.code).toBe(3)
  expect(await shown(runIdIn(called))).toMatchObject({ run: { root: cwd } })
})

test('CLI-01 AGT-02 a new run without an answer reports no answer and no warning of the earlier run', async () => {
  const { agent, store, labels } = await program(cwd, { text: 'Half of', stopReason: 'length' })
  await agent.run('Weather?', { runId: 'run_first', labels })
  await store.close()
  expect((await call(['show', 'first'], { cwd })).out).toContain('warning: the last answer reached its token limit')
  const stopped = await call(['prompt', 'first', 'And now?', '--json'], { cwd, interruptAt: 'It goes on' })
  expect(lastLine(stopped)).toMatchObject({ exitCode: 130, text: null, warning: null })
  const cancelled = await call(['cancel', 'last', '--json'], { cwd })
  expect(cancelled.err).not.toContain('warning: ')
  expect(lastLine(cancelled)).toMatchObject({ exitCode: 0, text: null, warning: null, usage: { totalTokens: 0 } })
})

test('CLI-01 AGT-02 show and the list name the run that a run continues, and its own prompt', async () => {
  await finishedRun(cwd)
  const id = runIdIn(await prompted())
  const short = id.slice('run_'.length, 'run_'.length + 6)
  const seen = await call(['show', id, '--json'], { cwd })
  expect(seen.err).toContain('\ngoes on from run first\nstarted ')
  expect(lastLine(seen)).toMatchObject({ run: { parentRunId: 'run_first' } })
  expect(await listed(cwd)).toMatchObject({
    runs: [{ id, parentRunId: 'run_first', prompt: 'Look around' }, { prompt: 'Weather?' }],
  })
  expect((await call(['runs'], { cwd })).out).toMatch(/ statewright {2}\(after run_first\) Look around\n/)
  const table = await call(['runs'], { cwd, answers: [], env: { NO_COLOR: '1' } })
  expect(table.out).toMatch(new RegExp(`^${short} .* {2}\\(after first\\) Look around\n`))
  expect(await shown('run_first')).not.toHaveProperty('run.parentRunId')
})

test('CLI-01 AGT-02 names the earlier run by its whole id if it is deleted', async () => {
  await finishedRun(cwd)
  const id = runIdIn(await prompted())
  const { store } = await program(cwd, [])
  await store.delete('run_first')
  await store.close()
  expect((await call(['show', id], { cwd })).out).toContain('\ngoes on from run run_first\n')
  expect((await call(['deny', id], { cwd })).code).toBe(0)
})

test('CLI-01 AGT-02 a continuing run whose model was unreachable continues once more from its last checkpoint', async () => {
  await finishedRun(cwd)
  const failing = await program(cwd, { error: new ModelError('network', 'Connection refused.') })
  const original = await failing.agent.load('run_first')
  await (await original.prompt('Look around', { runId: 'run_next' })).settled()
  await failing.store.close()
  const resumed = await call(['resume', 'next'], { cwd })
  expect(resumed.code).toBe(3)
  const fork = runIdIn(resumed)
  expect((await saidIn(fork)).slice(0, 3)).toEqual(['Weather?', 'It rains.', 'Look around'])
  expect((await call(['show', fork], { cwd })).out).toMatch(/\ncontinues from checkpoint \d+ of run run_next\nstarted /)
  expect(await listed(cwd)).toMatchObject({
    runs: [{ id: fork, forkedFrom: { runId: 'run_next' }, parentRunId: 'run_first', prompt: 'Look around' }, {}, {}],
  })
})

test('CLI-01 AGT-02 continues from a cancelled run, without open calls', async () => {
  await finishedRun(cwd)
  const cancelled = runIdIn(await prompted())
  expect((await call(['cancel', cancelled], { cwd })).code).toBe(0)
  const called = await call(['prompt', cancelled, 'And now?', '--json'], { cwd })
  expect(lastLine(called)).toMatchObject({ exitCode: 0, run: { parentRunId: cancelled }, suspended: [] })
})
