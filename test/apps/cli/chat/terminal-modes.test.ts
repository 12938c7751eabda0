import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { atTerminal, noTerminal } from '../pty.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

const demo = ['chat', '--model', 'scripted']

describe.skipIf(noTerminal !== '')(`a chat at a terminal${noTerminal}`, () => {
  test.each(['SIGTERM', 'SIGHUP'] as const)('CLI-01 restores the modes of its terminal at %s', async (signal) => {
    const { ready, ended, kill, shown } = atTerminal(demo, { cwd })
    await ready()
    kill(signal)
    await ended
    const modes = shown().split('\u001b[?2004').slice(1)
    expect(modes.map(([mode]) => mode)).toEqual(['h', 'l'])
  })

  test('CLI-01 a terminal string that contains a y approves nothing, and a message shows nothing again', async () => {
    const { type, ready, asked, until, ended, shown } = atTerminal(demo, { cwd })
    await ready()
    type('Look around\r')
    await asked()
    type('\u001b]y\u0007')
    type('\u001bPy\u001b\\x')
    await until('y  yes: let it run')
    expect(await readdir(cwd)).not.toContain('statewright-demo.md')
    type('\u0003')
    await ready()
    type('Hurry\r')
    await until('The model reads it when the waiting run continues.')
    await asked()
    expect(shown().split('✓ list_files')).toHaveLength(2)
    type('\u0003')
    await ready()
    type('\u0004')
    await ended
  })

  test('CLI-01 Tab completes a command or a path of the folder, and shows what fits if several do', async () => {
    const { type, until, ready, ended } = atTerminal(demo, { cwd })
    await ready()
    type('/too\t')
    await until('> /tools ')
    type('\u0015/co\t')
    await until('compact cost')
    type('\u0015See @RE\t')
    await until('> See @README.md ')
    type('\u0015\u0004')
    expect(await ended).toBe(0)
  })
})
