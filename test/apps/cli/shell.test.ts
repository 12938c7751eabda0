import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent, type Json } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { bubblewrap, unconfined } from '../../../src/adapters/tools/shell.ts'
import { call, runIdIn } from './command.ts'
import { atTerminal, noTerminal } from './pty.ts'

const missing = await bubblewrap().check()
let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

/** A run of the command line's agent that waits for one call. */
async function waitingRun(shell: string, name: string, given: Json): Promise<string> {
  const started = await call(['run', 'Look', '--model', 'scripted', '--shell', shell], { cwd })
  const store = sqliteStore(join(cwd, '.statewright/runs.db'))
  const model = scripted([{ toolCalls: [{ name, arguments: given }] }])
  const labels = { root: cwd, model: 'scripted/scripted', shell }
  const { agent } = await store.record(runIdIn(started))
  const tools = defaultTools({ root: cwd, sandbox: shell === 'bubblewrap' ? bubblewrap() : unconfined() })
  const run = createAgent({ name: agent, model, tools, store }).start('Run', { labels })
  expect((await run.settled()).status).toBe('waiting')
  await store.close()
  return run.id
}

test.each(['unconfined', ...(missing === undefined ? ['bubblewrap'] : [])])(
  'CLI-01 TOOL-02 asks before a command, and runs it only if the run was started with commands: %s',
  async (shell) => {
    const run = await waitingRun(shell, 'shell', { command: 'echo ran > out; cat /etc/hostname' })
    const shown = await call(['show', run], { cwd })
    expect(shown.out).toContain('suspended shell')
    expect(shown.out).toContain('command: echo ran > out')
    await expect(readFile(join(cwd, 'out'))).rejects.toThrow('ENOENT')
    await call(['approve', run, '1.scripted-0-0'], { cwd })
    expect(await readFile(join(cwd, 'out'), 'utf8')).toBe('ran\n')
  },
)

test('CLI-01 TOOL-02 shows which file an edit would change, and edits it on a yes', async () => {
  const edits = [{ oldText: '# A project', newText: '# The project' }]
  const run = await waitingRun('unconfined', 'edit_file', { path: 'README.md', edits })
  const shown = await call(['show', run], { cwd })
  expect(shown.out).toContain(`replaces ${join(cwd, 'README.md')} (12 bytes)`)
  await call(['approve', run, '1.scripted-0-0'], { cwd })
  expect(await readFile(join(cwd, 'README.md'), 'utf8')).toBe('# The project\n')
})

test('CLI-01 TOOL-03 refuses an unknown sandbox, and starts nothing', async () => {
  for (const name of ['docker', '', '__proto__']) {
    const { code, err } = await call(['run', 'Look', '--model', 'scripted', '--shell', name], { cwd })
    expect(code).toBe(2)
    expect(err).toContain(`No sandbox is named ${JSON.stringify(name)}.`)
    expect(err).toContain('Known: unconfined, bubblewrap, none.')
  }
})

test('CLI-01 TOOL-03 lets a run execute commands only on request', async () => {
  const started = await call(['run', 'Look', '--model', 'scripted'], { cwd })
  expect(started.code).toBe(3)
  const other = await call(['approve', runIdIn(started), '1.scripted-0-0', '--shell', 'unconfined'], { cwd })
  expect(other.err).toContain('Option --shell does not belong to "approve".')
})

const unasked = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }
const question = 'May the model run commands in a sandbox?'

describe.skipIf(noTerminal !== '')(`a new chat at a terminal${noTerminal}`, () => {
  test.skipIf(missing !== undefined)('CLI-01 TOOL-03 offers a sandbox, and then works with it', async () => {
    const { type, until, ready, ended, screen } = atTerminal(['chat', '--model', 'openai/m'], { cwd, env: unasked })
    await until(question)
    type('?')
    await until('you approve each one.')
    await until(question, 2)
    type('y')
    await ready()
    type('/tools\r')
    await until('write_file')
    expect(screen.rows).toContain('shell')
    type('\u0004')
    expect(await ended).toBe(0)
  })

  test.skipIf(missing !== undefined)(
    'CLI-01 TOOL-03 uses text that is typed at the offer as the first message',
    async () => {
      const { type, until, ready, ended, screen } = atTerminal(['chat', '--model', 'openai/m'], { cwd, env: unasked })
      await until(question)
      type('/tools\r')
      await ready()
      await until('write_file')
      expect(screen.rows).not.toContain('shell')
      type('\u0004')
      expect(await ended).toBe(0)
    },
  )

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['where no sandbox works', [], { PATH: '/nowhere' }],
    ['where the folder has an answer', ['none'], {}],
    ['for a folder whose runs had none around their commands', ['unconfined'], { PATH: '/nowhere' }],
  ])('CLI-01 TOOL-03 offers no sandbox %s', async (_, shells, env) => {
    for (const shell of shells) await call(['run', 'Look', '--model', 'scripted', '--shell', shell], { cwd })
    const { type, ready, ended, shown, until, screen } = atTerminal(['chat', '--model', 'openai/m'], {
      cwd,
      env: { ...unasked, ...env },
    })
    await ready()
    type('/tools\r')
    await until('write_file')
    expect(screen.rows).not.toContain('shell')
    expect(shown()).not.toContain(question)
    type('\u0004')
    expect(await ended).toBe(0)
  })
})
