import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { call, lastLine } from '../command.ts'
import { atTerminal, noTerminal } from '../pty.ts'
import { echoing } from './parrot.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

const demo = ['chat', '--model', 'scripted']

const stored = async () => lastLine(await call(['runs', '--store', 'runs.db', '--json'], { cwd }))

describe.skipIf(noTerminal !== '')(`a chat at a terminal${noTerminal}`, () => {
  test('CLI-01 reports on a first run without a key what is missing, and creates nothing', async () => {
    const { ended, shown } = atTerminal(['chat'], { cwd })
    expect(await ended).toBe(2)
    expect(shown()).toContain('Set ANTHROPIC_API_KEY or OPENAI_API_KEY')
    expect(shown()).toContain('--model scripted')
    expect(await readdir(cwd)).toEqual(['README.md'])
  })

  test('CLI-01 holds a conversation of three prompts, which continues in another process', async () => {
    const argv = [...(await echoing(cwd)), '--session', 'talk-7']
    const first = atTerminal(argv, { cwd })
    await first.ready()
    for (const prompt of ['one', 'two', 'three']) {
      first.type(`${prompt}\r`)
      await first.until(`You said ${prompt}.`)
      await first.ready()
    }
    first.type('\u0004')
    expect(await first.ended).toBe(0)
    expect(first.shown()).toContain('to continue it: statewright chat --session talk-7')
    const second = atTerminal(['chat', ...argv.slice(1, 5), '--continue'], { cwd })
    await second.ready()
    expect(second.shown()).toContain('conversation talk-7')
    expect(second.shown()).toContain('You said three.')
    second.type('\u001b[A\r')
    await second.until('You said three.', 2)
    second.type('\u0004')
    expect(await second.ended).toBe(0)
    expect(await stored()).toMatchObject({ total: 4 })
  })

  test("CLI-01 shows the state of the run's chart next to its work", async () => {
    const { type, until, ready, asked, ended, screen } = atTerminal(demo, { cwd })
    await ready()
    type('Look at all of this\r')
    await until('| turn: calling model')
    await asked()
    expect(screen.rows.at(-2)).toMatch(/^waiting for you \d+ s \| waiting$/)
    type('n')
    await until('Why? ')
    type('\r')
    await ready()
    expect(screen.rows.at(-2)).not.toContain('turn')
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test('CLI-01 keeps the text written in the editor if it cannot be read', async () => {
    const script = `if grep -q broken "$1"; then sed -i 's/broken/"mended.md"/' "$1"; else sed -i 's/"path": "[^"]*"/"path": broken/' "$1"; fi`
    await writeFile(join(cwd, 'editor.sh'), script)
    const { type, until, ready, asked } = atTerminal(demo, {
      cwd,
      columns: 200,
      env: { EDITOR: `sh ${join(cwd, 'editor.sh')}` },
    })
    await ready()
    type('Look around\r')
    await asked()
    type('e')
    await until('Press e to continue with your text.')
    type('e')
    await until('Created mended.md')
    expect(await readFile(join(cwd, 'mended.md'), 'utf8')).toContain('A note')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
  })

  test.each([
    ['/no/such/editor', 'ended with 127'],
    ['kill -9 $$ #', 'ended by SIGKILL'],
    ['rm', 'left no file'],
    ['truncate -s 0', 'The file is empty'],
    ['truncate -s 2000000', 'has 2000000 bytes'],
  ])('CLI-01 reports that the editor %s, and asks again', async (editor, said) => {
    const { type, until, ready, asked, screen } = atTerminal(demo, { cwd, columns: 200, env: { EDITOR: editor } })
    await ready()
    type('Look around\r')
    await asked()
    type('e')
    await until(said)
    type('n')
    await until('Why?')
    expect(screen.rows.join('\n')).toContain('nothing was changed')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
  })

  test('CLI-01 approves at one key, and never by keys that were typed before the question', async () => {
    const { type, until, ready, asked, ended, shown } = atTerminal(demo, { cwd })
    await ready()
    type('Look around\r')
    type('y')
    await asked()
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
    type('yy')
    await until('Several keys at once')
    type('?')
    await until('y  yes: let it run')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
    expect(shown()).not.toContain('content:')
    type('y')
    await until('Done: Created')
    await until('> y')
    expect(await readFile(join(cwd, 'statewright-demo.md'), 'utf8')).toContain('A note')
    type('\u007f')
    await ready()
    type('\u0003\u0003')
    expect(await ended).toBe(0)
  })

  test('CLI-01 asks for a reason after a no, edits in an editor, and explains why always is refused', async () => {
    const editor = join(cwd, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nsed -i s/statewright-demo/other/ "$1"\n', { mode: 0o755 })
    const { type, until, ready, asked, ended } = atTerminal(demo, { cwd, env: { EDITOR: editor, VISUAL: '' } })
    await ready()
    type('Look around\r')
    await asked()
    type('n')
    await until('Why? ')
    type('wrong folder\r')
    await until('Nothing was written: wrong folder')
    await ready()
    type('Once more\r')
    await asked()
    type('a')
    await until('Allow all of this?')
    type('y')
    await until('refused: ')
    await until('it applies only to runs that are started with --trust')
    await until('suspended write_file', 3)
    await asked()
    type('e')
    await until('Done: ')
    expect(await readdir(cwd)).toContain('other.md')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Escape', '\u001b'],
  ])('CLI-01 %s cancels the running call, and the conversation continues', async (_, key) => {
    const { type, until, ready, ended } = atTerminal(await echoing(cwd), { cwd })
    await ready()
    type('hang\r')
    await until('running hang')
    type(key)
    await until('It was ended.')
    await ready()
    type('fine\r')
    await until('You said fine.')
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test('CLI-01 Ctrl-C twice leaves the chat, and the run is stored for another process', async () => {
    const { type, until, ready, ended } = atTerminal([...(await echoing(cwd)), '--session', 'talk'], { cwd })
    await ready()
    type('hang\r')
    await until('running hang')
    type('\u0003\u0003')
    expect([0, 130]).toContain(await ended)
    expect(await stored()).toMatchObject({ total: 1 })
  })

  test('CLI-01 ends if its terminal is closed, and the run is stored for another process', async () => {
    const { type, until, ready, ended, kill } = atTerminal([...(await echoing(cwd)), '--session', 'talk'], { cwd })
    await ready()
    type('hang\r')
    await until('running hang')
    kill('SIGHUP')
    await ended
    expect(await stored()).toMatchObject({ runs: [{ status: 'running', isDriven: false }] })
  })

  test('CLI-01 shows each result of a run that another chat drives as it settles, and Ctrl-C cancels its call', async () => {
    execFileSync('mkfifo', [join(cwd, 'letterbox')])
    const argv = [...(await echoing(cwd)), '--session', 'talk']
    const driving = atTerminal(argv, { cwd })
    await driving.ready()
    driving.type('both\r')
    await driving.until('running hang')
    const following = atTerminal(argv, { cwd })
    await following.until('another process drives this run')
    expect(following.shown()).not.toContain('✓ wait')
    await writeFile(join(cwd, 'letterbox'), 'A letter has come.')
    await following.until('✓ wait')
    await following.until('A letter has come.')
    following.type('\u0003')
    await following.until('Cancelling hang.')
    await Promise.all([following.until('It was ended.'), driving.until('It was ended.')])
    expect(following.shown().split('✓ wait')).toHaveLength(2)
    await following.ready()
    following.type('\u0004')
    expect(await following.ended).toBe(0)
  })

  test('CLI-01 sends a line to the active run, shows it as queued, and then as read', async () => {
    const { type, until, ready, ended } = atTerminal(await echoing(cwd), { cwd })
    await ready()
    type('hang\r')
    await until('running hang')
    type('be quick\r')
    await until('queued: be quick')
    type('\u0003')
    await until('You said be quick.')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test.each([20, 80, 200])('CLI-01 wraps no row of its own on a terminal of %i columns', async (columns) => {
    const { type, until, ready, asked, ended, screen } = atTerminal(demo, { cwd, columns })
    await ready()
    type('\u001b[200~Look\nat all of this, which is longer than a row\u001b[201~\r')
    await asked()
    type('n')
    await until('Why? ')
    type('because\r')
    await ready()
    expect(screen.rows.filter((row) => row.includes('Why?'))).toEqual([])
    expect(screen.rows.join('\n')).toContain('because')
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test('CLI-01 works on a dumb terminal without sequences that move the cursor', async () => {
    const { type, until, ready, asked, ended, shown } = atTerminal(demo, {
      cwd,
      env: { TERM: 'dumb', LANG: 'C', LC_ALL: 'C' },
    })
    await ready()
    type('Look around\r')
    await asked()
    type('y')
    await until('Done: Created')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
    // oxlint-disable-next-line no-control-regex
    expect(shown()).not.toMatch(/\u001b/)
  })
})

test('CLI-01 a chat without a terminal prints the command that answers, and exits with 3', async () => {
  const nothing = await call(['chat'], { cwd })
  expect(nothing).toMatchObject({ code: 3, err: '' })
  expect(nothing.out).toContain('Without a terminal: statewright run "<prompt>"')
  expect(await readdir(cwd)).toEqual(['README.md'])
})
