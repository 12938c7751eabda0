import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { call, lastLine } from '../command.ts'
import { atTerminal, noTerminal } from '../pty.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

const demo = ['chat', '--model', 'scripted']
const stored = async () => lastLine(await call(['runs', '--store', 'runs.db', '--json'], { cwd }))

describe.skipIf(noTerminal !== '')(`an answer for always at a terminal${noTerminal}`, () => {
  test('CLI-01 PERM-05 shows before a second key press what is granted for always, and then how to revoke it', async () => {
    const { type, until, ready, asked, ended, shown } = atTerminal([...demo, '--trust'], { cwd, columns: 200 })
    await ready()
    type('Look around\r')
    await asked()
    type('a')
    await until('Allow all of this?')
    type('n')
    await asked()
    type('a')
    await until('This allows every call of write_file', 2)
    expect(shown()).toContain('This allows every call of write_file, with any arguments')
    expect(shown()).not.toContain('Allowed until')
    type('y')
    await until('Allowed until it is revoked: statewright grants --revoke grant_')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
    const [, id = ''] = /--revoke (grant_[0-9a-f]{16})/.exec(shown()) ?? []
    expect((await call(['grants', '--revoke', id], { cwd })).out).toContain('revoked allow always: write_file')
  })

  test('CLI-01 PERM-05 offers no answer for always if it is unclear what a command line runs', async () => {
    const engine = new URL('../../../../src/', import.meta.url).href
    const text = `
      import { createAgent, tool } from '${engine}index.ts'
      import { scripted } from '${engine}adapters/providers/scripted.ts'
      const line = tool({
        name: 'line', description: 'Runs a line', input: { type: 'object' },
        ruleFields: { command: 'command' }, execute: () => 'It ran.',
      })
      const call = { name: 'line', arguments: { command: 'flock x rm -rf y' } }
      const model = scripted([{ toolCalls: [call] }, 'Done.'])
      const permissions = { rules: { deny: ['line(command ~ "rm *")'], allow: ['line'] } }
      export default (store) => [createAgent({ name: 'runner', model, tools: [line], permissions, store })]`
    await writeFile(join(cwd, 'runner.mjs'), text)
    const { type, until, ready, asked, ended, shown } = atTerminal(
      ['chat', '--agents', 'runner.mjs', '--store', 'runs.db', '--trust'],
      { cwd, columns: 200 },
    )
    await ready()
    type('Go\r')
    await asked()
    expect(shown()).toContain('Approve? [y/n/e/v/?] ')
    type('a')
    await until('Ctrl-C leaves it for later.')
    const [id = ''] = /session_[\w.]+/.exec(JSON.stringify(await stored())) ?? []
    const always = ['approve', id, '1.scripted-0-0', '--scope', 'always', '--no-drive', '--store', 'runs.db']
    const refused = await call(always, { cwd })
    expect(refused.err).toContain('an answer applies only to this call')
    expect(refused.err).not.toContain('--trust')
    type('y')
    await until('Done.')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
  })
})
