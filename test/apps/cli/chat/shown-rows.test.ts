import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { atTerminal, noTerminal } from '../pty.ts'
import { echoing } from './parrot.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

describe.skipIf(noTerminal !== '')(`the rows of a chat${noTerminal}`, () => {
  test.each([
    ['Ctrl-C', '\u0003', ['Cancelling the answer. Ctrl-C again leaves.', 'cancelled: Ctrl-C']],
    ['a command', '/tools\r', ['The tools of agent "parrot" are set in its module.']],
  ])('CLI-01 %s in the middle of an answer begins a row of its own', async (_, keys, said) => {
    const { type, until, ready, screen } = atTerminal(await echoing(cwd), { cwd })
    await ready()
    type('endless\r')
    await until('You said')
    type(keys)
    for (const row of said) await until(row)
    expect(screen.rows).toEqual(expect.arrayContaining(['You said endless.', ...said]))
  })

  test('CLI-01 shows a reopened conversation from its last prompt on, as it was shown before', async () => {
    await writeFile(join(cwd, 'letterbox'), Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n'))
    const argv = [...(await echoing(cwd)), '--session', 'talk']
    const first = atTerminal(argv, { cwd })
    await first.ready()
    first.type('letter\r')
    await first.until('It was ended.')
    await first.ready()
    first.type('\u0004')
    await first.ended
    const second = atTerminal(argv, { cwd })
    await second.ready()
    const shown = ['→ wait {}', '✓ wait', ...[0, 1, 2].map((line) => `  │ line ${line}`), '  │ [… 57 lines more]']
    expect(second.screen.rows).toEqual([
      'conversation talk; /help lists the commands',
      ...['> letter', ...shown, 'It was ended.'],
      ...['ready', '>'],
    ])
  })

  test('CLI-01 a chat that ends says shortly how it is continued', async () => {
    const argv = await echoing(cwd)
    const first = atTerminal(argv, { cwd })
    await first.ready()
    first.type('one\r')
    await first.until('You said one.')
    await first.ready()
    first.type('\u0004')
    await first.ended
    const id = /to continue it: statewright chat --session (\w{32})/.exec(first.shown())?.[1] ?? 'none'
    const second = atTerminal([...argv, '--session', id], { cwd })
    await second.ready()
    expect(second.screen.rows).toEqual(expect.arrayContaining([expect.stringContaining(id), '> one']))
  })
})
