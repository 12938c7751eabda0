import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tool } from '../../../src/index.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine } from './command.ts'
import { waitingRun, write } from './waiting-run.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), 'A project\n')
})

const model = ['--model', 'scripted']

test('CLI-01 approves a suspended call by its id, and drives the run', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const { code, out } = await call(['approve', run, '1.scripted-0-0', ...model], { cwd })
  expect(code).toBe(0)
  expect(out).toContain('✓ write_file')
  expect(await readFile(join(cwd, 'a'), 'utf8')).toBe('a\n')
})

test('CLI-01 requires a call id if several calls are suspended, and lists them', async () => {
  const run = await waitingRun(cwd, [write('a'), write('b')])
  const { code, err } = await call(['approve', run], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('2 calls of run')
  expect(err.match(/statewright approve/g)).toHaveLength(2)
})

test('CLI-01 decides one of several, then the other', async () => {
  const run = await waitingRun(cwd, [write('a'), write('b')])
  const { suspended } = lastLine(await call(['show', run, '--json'], { cwd }))
  expect(suspended).toHaveLength(2)
  const { err } = await call(['approve', run], { cwd })
  const [, first = '', second = ''] = / approve \S+ (\S+)\n.* approve \S+ (\S+)\n/.exec(err) ?? []
  expect((await call(['deny', run, first, '--reason', 'not this one', ...model], { cwd })).code).toBe(3)
  expect((await call(['approve', run, second, ...model], { cwd })).code).toBe(0)
  expect(await readdir(cwd)).toEqual(['.statewright', 'README.md', 'b'])
  expect((await call(['show', run], { cwd })).out).toContain('  not this one')
})

test('CLI-01 approves with other arguments', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const input = '{"path":"b","content":"edited"}'
  expect((await call(['approve', run, '1.scripted-0-0', '--input', input, ...model], { cwd })).code).toBe(0)
  expect(await readFile(join(cwd, 'b'), 'utf8')).toBe('edited')
  expect(await readdir(cwd)).not.toContain('a')
})

test('CLI-01 refuses arguments that do not fit, and the call stays suspended', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const refused = await call(['approve', run, '1.scripted-0-0', '--input', '{"path":"b"}', ...model], { cwd })
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('content')
  expect((await call(['show', run], { cwd })).out).toContain('needs approval')
})

test('CLI-01 sets the result of a call, and the tool does not run', async () => {
  const run = await waitingRun(cwd, [write('a')])
  expect((await call(['respond', run, 'done by hand', ...model], { cwd })).code).toBe(0)
  expect(await readdir(cwd)).not.toContain('a')
  expect((await call(['show', run], { cwd })).out).toContain('  done by hand')
})

test('CLI-01 stores a decision without driving, and without a model, with --no-drive', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const stored = await call(['approve', run, '1.scripted-0-0', '--no-drive'], { cwd })
  expect(stored).toMatchObject({ code: 0, err: '' })
  expect(await readdir(cwd)).not.toContain('a')
  expect((await call(['resume', run, ...model], { cwd })).code).toBe(0)
  expect(await readdir(cwd)).toContain('a')
})

test('DEC-07 CLI-01 reports that a stored decision is not carried out yet, and when it will be', async () => {
  const run = await waitingRun(cwd, [write('a'), write('b')])
  const { suspended } = lastLine(await call(['show', run, '--json'], { cwd }))
  const target = callIdIn(suspended)
  const stored = await call(['approve', run, target, '--no-drive'], { cwd })
  expect(stored.out).toContain(`decision stored; to continue the run: statewright resume ${run}\n`)
  const again = await call(['approve', run, target, '--no-drive'], { cwd })
  expect(again.out).toContain(`nothing stored; to continue the run: statewright resume ${run}\n`)
  const shown = await call(['show', run, '--json'], { cwd })
  expect(shown.err).toContain(`stored, not carried out yet: approval of call ${target}\n`)
  expect(shown.err).toContain(`run ${run} waits for a driver: statewright resume ${run}\n`)
  expect(shown.err.match(/needs approval/g)).toHaveLength(1)
  expect(lastLine(shown)).toMatchObject({ stored: [{ action: 'resume', callId: target }] })
  expect((await call(['runs'], { cwd })).out).toContain(`${run}  waiting, answered`)
})

test('CLI-01 reports that a stored cancel is not carried out yet, until the run is driven', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const stored = await call(['cancel', run, '--no-drive'], { cwd })
  expect(stored).toMatchObject({ code: 0, err: '' })
  expect(stored.out).toContain(`${run}: applied\ncancel stored; to continue the run: statewright resume ${run}\n`)
  const again = await call(['cancel', run, '--no-drive', '--json'], { cwd })
  expect(again.code).toBe(0)
  const message = `A cancel of run "${run}" is stored already and not carried out yet.`
  expect(again.err).toContain(`${run}: duplicate (${message})\n`)
  expect(lastLine(again)).toMatchObject({
    receipts: [{ target: run, answer: 'duplicate', message }],
    stored: [{ action: 'cancelRun' }],
  })
  const { out } = await call(['show', run], { cwd })
  expect(out).toContain('stored, not carried out yet: cancel of the run\n')
  expect(out).toContain(`statewright resume ${run}`)
  expect((await call(['resume', run], { cwd })).code).toBe(1)
  expect((await call(['show', run], { cwd })).out).not.toContain('stored, not')
})

test('CLI-01 reports a repeated answer as a duplicate, and a different second answer as stale', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const { suspended } = lastLine(await call(['show', run, '--json'], { cwd }))
  const target = callIdIn(suspended)
  await call(['approve', run, '1.scripted-0-0', ...model], { cwd })
  const again = await call(['approve', run, target, '--json', ...model], { cwd })
  expect(again.code).toBe(0)
  expect(lastLine(again)).toMatchObject({ receipts: [{ answer: 'duplicate' }] })
  const other = await call(['deny', run, target, '--json'], { cwd })
  expect(other.code).toBe(4)
  expect(lastLine(other)).toMatchObject({ error: { code: 'stale' } })
})

test('CLI-01 reports a call that never existed as unknown', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const { code, err } = await call(['approve', run, 'no-such-call', ...model], { cwd })
  expect(code).toBe(4)
  expect(err).toContain('No call or suspension "no-such-call" in this run.')
})

test("CLI-01 continues with the run's model if none is named", async () => {
  const run = await waitingRun(cwd, [write('a')])
  expect((await call(['approve', run, '1.scripted-0-0'], { cwd })).code).toBe(0)
})

test('CLI-01 stores no decision if the model cannot be asked', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const { code, err } = await call(['approve', run, '1.scripted-0-0', '--model', 'anthropic'], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('ANTHROPIC_API_KEY is not set.')
  expect((await call(['show', run], { cwd })).out).toContain('needs approval')
})

test('CLI-01 asks for a value on a terminal, with the type that the call expects', async () => {
  const asking = tool({
    name: 'ask',
    description: 'Asks',
    input: { type: 'object' },
    execute: (_input, context) =>
      context.suspend({ reason: 'input', message: 'How many?', responseSchema: { type: 'number' } }),
    resume: 'use-as-result',
  })
  const run = await waitingRun(cwd, [{ name: 'ask', arguments: {} }], [asking])
  const { code, out } = await call(['resume', run, ...model], { cwd, answers: ['y', 'many', '7', 'n', ''] })
  expect(code).toBe(0)
  expect(out).toContain('How many?')
  expect(out).toContain('Not understood. Expected a value of this type: number')
  expect((await call(['show', run], { cwd })).out).toMatch(/^ask .*\n {2}7$/m)
})

test('CLI-01 accepts no answer that was typed before its question was shown', async () => {
  const run = await waitingRun(cwd, [write('a'), write('b')])
  const denied = await call(['resume', run], { cwd, typedAhead: 'y\ny\n', answers: ['n', 'y\ny', 'n', ''] })
  expect(denied.out.match(/Approve\? \[/g)).toHaveLength(2)
  expect(await readdir(cwd)).toEqual(['.statewright', 'README.md'])
})

test('CLI-01 names before a write the file that it creates or replaces', async () => {
  const run = await waitingRun(cwd, [write('new/a'), write('README.md')])
  const shown = await call(['show', run, '--json'], { cwd })
  expect(shown.err).toContain(`  creates ${join(cwd, 'new', 'a')}\n`)
  expect(shown.err).toContain(`  replaces ${join(cwd, 'README.md')} (10 bytes)\n`)
  expect(lastLine(shown)).toMatchObject({
    suspended: [{ target: { replaces: null } }, { target: { path: join(cwd, 'README.md'), replaces: 10 } }],
  })
})

test('CLI-01 cancels a waiting run, and a repeated cancel has no effect', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const cancelled = await call(['cancel', run, '--reason', 'no longer needed'], { cwd })
  expect(cancelled).toMatchObject({ code: 0, err: '' })
  expect(cancelled.out).toContain(`${run}: applied\n`)
  expect(cancelled.out).toContain('cancelled')
  for (const options of [[], ['--no-drive']]) {
    const again = await call(['cancel', run, ...options, '--json'], { cwd })
    expect(again.code).toBe(0)
    expect(again.err).toContain(`${run}: stale (Run "${run}" has ended.)\nrun ${run} cancelled: no longer needed\n`)
    const receipt = { target: run, answer: 'stale', message: `Run "${run}" has ended.` }
    expect(lastLine(again)).toMatchObject({ receipts: [receipt], stored: [] })
  }
  expect((await call(['resume', run], { cwd })).code).toBe(1)
  expect(await readdir(cwd)).not.toContain('a')
})

function callIdIn(suspended: unknown): string {
  const [first]: unknown[] = Array.isArray(suspended) ? suspended : []
  if (typeof first !== 'object' || first === null || !('callId' in first)) throw new Error('Nothing is suspended.')
  return String(first.callId)
}

test('CLI-01 shows a preview to programs, and the rest of the call to a person who presses v', async () => {
  const run = await waitingRun(cwd, [{ name: 'write_file', arguments: { path: 'a', content: 'line\n'.repeat(100) } }])
  const { suspended } = lastLine(await call(['show', run, '--json'], { cwd }))
  expect(suspended).toMatchObject([{ preview: { path: 'a', change: 'create', added: 100, removed: 0, before: null } }])
  const { code, out } = await call(['resume', run, ...model], { cwd, answers: ['v', '', 'v', '', 'y'] })
  expect(code).toBe(0)
  expect(out.match(/lines are not shown/g)).toHaveLength(1)
  expect(out.match(/\+line/g)).toHaveLength(57 + 43 + 43)
  expect(await readFile(join(cwd, 'a'), 'utf8')).toBe('line\n'.repeat(100))
})

test('CLI-01 spells out invisible characters in a transcript and in an approval', async () => {
  const hidden = 'a\u{e0041}b\u200bc'
  const run = await waitingRun(cwd, [{ name: 'write_file', arguments: { path: hidden, content: '' } }])
  await call(['respond', run, `done${hidden}`, '--no-drive'], { cwd })
  await call(['resume', run, ...model], { cwd })
  const { out } = await call(['show', run], { cwd })
  expect(out).toContain('write_file {"path":"a\\u{e0041}b\\u{200b}c"')
  expect(out).toContain('  donea\\u{e0041}b\\u{200b}c')
  expect(out).not.toMatch(/[\u200b\u{e0041}]/u)
})

test('CLI-01 shows the call and asks if no call is named; without a terminal it requires a call id', async () => {
  const run = await waitingRun(cwd, [write('a')])
  const unnamed = await call(['approve', run, ...model], { cwd })
  expect(unnamed.code).toBe(2)
  expect(unnamed.err).toContain('Nobody can be asked here, so name the call that you approve')
  expect(unnamed.err).toContain(`statewright approve ${run} 1.scripted-0-0`)
  const left = await call(['approve', run, ...model], { cwd, answers: [] })
  expect(left).toMatchObject({ code: 3, out: expect.stringContaining('waits for a decision') })
  expect(await readdir(cwd)).not.toContain('a')
  const input = '{"path":"b","content":"edited"}'
  const approved = await call(['approve', run, '--input', input, ...model], { cwd, answers: ['y'] })
  expect(approved.code).toBe(0)
  expect(approved.out).toMatch(/needs approval\n {2}path: b\n {2}content: edited\n[^]*Approve\? \[y\/n/)
  expect(await readdir(cwd)).toEqual(['.statewright', 'README.md', 'b'])
})

test('CLI-01 v pages through the rest of a call, and no key typed there answers the question', async () => {
  const run = await waitingRun(cwd, [{ name: 'write_file', arguments: { path: 'a', content: 'line\n'.repeat(150) } }])
  const { out } = await call(['resume', run, ...model], { cwd, answers: ['v', 'yes', '', 'Q', 'v', 'q', 'n', ''] })
  const asked = 'Approve? [y/n/e/v/a/?] yes, no, edit, view, always, help: '
  const [first = '', paged = '', again = ''] = out.split(asked)
  expect(first).toContain('lines are not shown')
  const pages = paged.split(/-- \d+ of \d+ lines; Enter shows more, q ends -- /)
  expect(pages.map((page) => page.split('\n').length - 1)).toEqual([24, 24, 24, 1])
  expect(pages.map((page) => page.match(/[+ ]line/g)?.length ?? 0)).toEqual([23, 23, 23, 0])
  expect(again.match(/23 of \d+ lines/g)).toHaveLength(1)
  expect(await readdir(cwd)).not.toContain('a')
})
