import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n\nWith text.\n')
})

const demo = ['run', 'Look around', '--model', 'scripted']

test('CLI-01 runs the scripted demo without a key up to the write that needs approval', async () => {
  const { code, out, err } = await call(demo, { cwd })
  expect(code).toBe(3)
  expect(err).toBe('')
  expect(out).toContain('→ read_file {"path":"README.md"')
  expect(out).toContain('suspended write_file')
  expect(await readdir(cwd)).toEqual(['.statewright', 'README.md'])
})

test('CLI-01 prints the exact commands that answer the suspended call', async () => {
  const started = await call(demo, { cwd })
  const command = /approve: statewright (.*)$/m.exec(started.out)?.[1] ?? ''
  expect(command.split(' ')).toEqual(['approve', runIdIn(started), expect.any(String)])
  const approved = await call(command.split(' '), { cwd })
  expect(approved).toMatchObject({ code: 0, err: '' })
  expect(await readFile(join(cwd, 'statewright-demo.md'), 'utf8')).toContain('> # A project')
})

test('CLI-01 never asks without a terminal, and prints no escape sequences', async () => {
  const { out } = await call(demo, { cwd })
  expect(out).not.toContain('[y/n')
  expect(out).not.toContain('\u001b')
})

test('CLI-01 asks on a terminal and finishes the run on a yes', async () => {
  const { code, out } = await call(demo, { cwd, answers: ['y'] })
  expect(code).toBe(0)
  expect(out).toContain('Approve? [y/n/e/v/a/?] yes, no, edit, view, always, help: ')
  expect(out).toMatch(/run run_\w+ \S*done/)
  expect(await readdir(cwd)).toContain('statewright-demo.md')
})

test('CLI-01 asks again after an unreadable answer and explains what was expected', async () => {
  const { code, out } = await call(demo, { cwd, answers: ['', 'maybe', 'yes', 'N', ''] })
  expect(code).toBe(0)
  expect(out.match(/ {2}n {2}no: refuse it/g)).toHaveLength(3)
  expect(out).toContain('Nothing was written: User denied the action.')
  expect(await readdir(cwd)).not.toContain('statewright-demo.md')
})

test('CLI-01 asks for a reason after a no, and the model reads it', async () => {
  const { out } = await call(demo, { cwd, answers: ['n', ' wrong folder '] })
  expect(out).toContain('✗')
  expect(out).toContain('Nothing was written: wrong folder')
})

test.each([[[]], [['n']]])('CLI-01 leaves the run waiting when the input ends after %j', async (answers) => {
  const { code, out } = await call(demo, { cwd, answers })
  expect(code).toBe(3)
  expect(out).toMatch(/run \S+ waits for a decision\n$/)
})

test('CLI-01 leaves the run waiting at Ctrl-C while it asks', async () => {
  const { code, out } = await call(demo, { cwd, answers: ['y'], interruptAt: 'suspended' })
  expect(code).toBe(3)
  expect(out).not.toMatch(/run run_\w+ \S*done/)
})

test('CLI-01 leaves the run stored at Ctrl-C and prints the command that resumes it', async () => {
  const stopped = await call(demo, { cwd, interruptAt: '→ list_files' })
  expect(stopped.code).toBe(130)
  const command = /continue it: statewright (.*)$/m.exec(stopped.out)?.[1] ?? ''
  expect(command).toBe(`resume ${runIdIn(stopped)}`)
  expect((await call(command.split(' '), { cwd })).code).toBe(3)
})

test('CLI-01 does not ask with --json, even on a terminal, and ends with one object', async () => {
  const called = await call([...demo, '--json'], { cwd, answers: ['y'] })
  expect(called.code).toBe(3)
  expect(called.err).not.toContain('[y/n')
  const run = runIdIn(called)
  expect(lastLine(called)).toMatchObject({
    command: 'run',
    exitCode: 3,
    run: { id: run, status: 'waiting', reason: 'suspended' },
    suspended: [
      {
        toolName: 'write_file',
        arguments: { path: 'statewright-demo.md' },
        reason: 'approval',
        mayHaveRun: false,
        answers: { approve: expect.stringContaining(`statewright approve ${run} `) },
      },
    ],
  })
})

test('CLI-01 makes the store private to its owner and ignored by git', async () => {
  await call(demo, { cwd })
  expect((await stat(join(cwd, '.statewright'))).mode & 0o777).toBe(0o700)
  expect(await readFile(join(cwd, '.statewright', '.gitignore'), 'utf8')).toBe('*\n')
})

test('CLI-01 works in another root and store, and names the store in later commands', async () => {
  const root = await temporaryFolder()
  const store = join(root, 'my runs.db')
  const started = await call([...demo, '--root', root, '--store', store], { cwd })
  expect(started.out).toMatch(new RegExp(`approve: statewright approve \\S+ \\S+ --store '${store}'$`, 'm'))
  const callId = /\(call (\S+)\)/.exec(started.out)?.[1] ?? ''
  const approved = await call(['approve', runIdIn(started), callId, '--store', store], { cwd })
  expect(approved.code).toBe(0)
  expect(await readdir(root)).toContain('statewright-demo.md')
  expect(await readdir(cwd)).toEqual(['README.md'])
})

test('CLI-01 names the store in later commands even if only the root was given', async () => {
  const root = await temporaryFolder()
  const store = join(root, '.statewright', 'runs.db')
  expect((await call([...demo, '--root', root], { cwd })).out).toContain(` --store ${store}\n`)
})

test('CLI-01 colours on a terminal only, and honours NO_COLOR', async () => {
  const escape = '\u001b['
  expect((await call(demo, { cwd, answers: [] })).out).toContain(escape)
  expect((await call(demo, { cwd, answers: [], env: { NO_COLOR: '1' } })).out).not.toContain(escape)
  expect((await call(demo, { cwd, answers: [], env: { TERM: 'dumb' } })).out).not.toContain(escape)
})

test('CLI-01 removes escape sequences from a file name that it prints', async () => {
  await writeFile(join(cwd, 'README.md'), '\u001b]0;owned\u0007# \u001b[31mA project\n')
  const { out } = await call(demo, { cwd })
  expect(out).not.toContain('\u0007')
  expect(out).toContain('> \\u{1b}]0;owned\\u{7}# \\u{1b}[31mA project')
})

test('CLI-01 PRV-11 sends files with a prompt, and refuses those that cannot be read', async () => {
  await writeFile(join(cwd, 'report.pdf'), '%PDF-1.7')
  const started = await call([...demo, '--file', 'report.pdf', '--file', 'README.md'], { cwd })
  expect(started.code).toBe(3)
  const shown = await call(['show', runIdIn(started)], { cwd })
  expect(shown.out).toContain('[File "README.md"]')
  expect(shown.out).toContain('[A file "report.pdf" of type application/pdf]')
  const refused = await call([...demo, '--file', 'none.pdf'], { cwd })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('it cannot be opened: ENOENT') })
})
