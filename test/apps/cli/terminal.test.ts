import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, runIdIn } from './command.ts'

const program = fileURLToPath(new URL('../../../bin/statewright.js', import.meta.url))

/** `script` of util-linux runs a command in a pseudo terminal; other systems have another program of that name. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { input: '' }).status === 0
const skipped = hasTerminal ? '' : ', skipped: there is no "script" of util-linux'

let cwd: string
let run: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
  run = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd }))
})

interface Terminal {
  /** Everything the terminal has shown. */
  shown(): string
  type(keys: string): void
  /** Resolves once the terminal has shown so many pieces like this one. */
  until(text: string, times?: number): Promise<void>
  readonly ended: Promise<number | null>
}

/** The command line at a terminal of its own. */
function terminal(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
  const command = [process.execPath, program, ...argv].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  let look = () => {}
  child.stdout.on('data', (piece: Buffer) => {
    shown += piece.toString()
    look()
  })
  const ended = once(child, 'close').then(([code]) => {
    look()
    return code
  })
  const until = async (text: string, times = 1) => {
    const isThere = () => shown.split(text).length > times
    while (!isThere() && child.exitCode === null) await new Promise<void>((resolve) => (look = resolve))
    if (!isThere()) throw new Error(`The program has ended, and "${text}" was not shown ${times} times: ${shown}`)
  }
  return { shown: () => shown, type: (keys) => void child.stdin.write(keys), until, ended }
}

const asked = 'Approve? [y/n/e/v/a/?] yes, no, edit, view, always, help: '

describe.skipIf(!hasTerminal)(`at a terminal${skipped}`, () => {
  test('CLI-01 ignores a key pressed before its question, with the Enter after it', async () => {
    const { type, until, shown, ended } = terminal(['approve', run])
    type('y')
    await until('y')
    expect(shown()).toBe('y')
    await until(asked)
    type('\r')
    await until(asked, 2)
    type('\u0003')
    expect(await ended).toBe(3)
    expect(shown()).toContain('waits for a decision')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
  })

  test('CLI-01 approves at one key, without Enter', async () => {
    const { type, until, ended } = terminal(['resume', run, '--model', 'scripted'])
    await until(asked)
    type('y')
    expect(await ended).toBe(0)
    expect(await readdir(cwd)).toContain('statewright-demo.md')
  })

  test('CLI-01 lends the terminal to an editor that reads it, and runs the saved text', async () => {
    const editor = join(cwd, 'editor.sh')
    const text =
      '#!/bin/sh\nprintf "Name? " > /dev/tty\nread name < /dev/tty\nsed -i "s/statewright-demo/$name/" "$1"\n'
    await writeFile(editor, text, { mode: 0o755 })
    const { type, until, ended } = terminal(['resume', run, '--model', 'scripted'], { EDITOR: editor, VISUAL: '' })
    await until(asked)
    type('e')
    await until('Name? ')
    type('other\r')
    expect(await ended).toBe(0)
    expect(await readdir(cwd)).toContain('other.md')
  })

  test("CLI-01 asks for a reason after a no, with the terminal's line editing", async () => {
    const { type, until, shown, ended } = terminal(['resume', run, '--model', 'scripted'])
    await until(asked)
    type('n')
    await until('reason) ')
    type('wrong places\u007f\u007f\u007f\u007f\u007f\u007ffolder\r')
    expect(await ended).toBe(0)
    expect(shown()).toContain('Nothing was written: wrong folder')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
  })
})
