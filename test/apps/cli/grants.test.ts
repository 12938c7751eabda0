import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { listAudit } from '../../../src/core/driving/list-grants.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { call, lastLine } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await mkdir(join(cwd, '.statewright'))
})

const write = (path: string) => ({ name: 'write_file', arguments: { path, content: path } })
const open = () => sqliteStore(join(cwd, '.statewright', 'runs.db'))

/** An agent like the command line's, and a run of it that waits for a file to be written. */
async function waitingRun(details: object): Promise<string> {
  const store = open()
  const model = scripted([{ toolCalls: [write('a')] }])
  const labels = { root: cwd, model: 'scripted/scripted' }
  const agent = createAgent({ name: 'statewright', model, tools: fileTools({ root: cwd }), store })
  const { runId } = await agent.run('Write', { labels, ...details })
  await store.close()
  return runId
}

test('PERM-05 CLI-01 approve --scope always grants for the user of the run; grants lists the grant, and --revoke revokes it', async () => {
  const run = await waitingRun({ userId: 'ann' })
  const { code } = await call(['approve', run, '1.scripted-0-0', '--scope', 'always', '--no-drive'], { cwd })
  expect(code).toBe(0)
  const listed = await call(['grants', '--json'], { cwd })
  const { grants } = lastLine(listed)
  expect(grants).toMatchObject([{ grantee: 'user:ann', scope: 'always', toolName: 'write_file', says: 'allow' }])
  expect(listed.err).toContain('allow always: write_file, for user:ann')
  const id = /grant_[0-9a-f]{16}/.exec(listed.out)?.[0] ?? ''
  expect((await call(['grants', '--revoke', 'other'], { cwd })).err).toContain(`No grant "other".\n  Known: ${id}.`)
  const revoked = await call(['grants', '--revoke', id], { cwd })
  expect([revoked.code, revoked.out]).toEqual([0, 'revoked allow always: write_file, for user:ann\n'])
  expect((await call(['grants'], { cwd })).out).toBe('no grants\n')
  const store = open()
  expect((await listAudit(store)).map(({ action }) => action)).toEqual(['revoked', 'approved'])
  await store.close()
})

test('PERM-05 CLI-01 refuses a grant for always to a run that was started without --trust, and explains what to do', async () => {
  const run = await waitingRun({})
  const refused = await call(['approve', run, '1.scripted-0-0', '--scope', 'always', '--no-drive'], { cwd })
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('it applies only to runs that are started with --trust')
  expect((await call(['deny', run, '1.scripted-0-0', '--scope', 'run', '--no-drive'], { cwd })).code).toBe(0)
  expect((await call(['grants'], { cwd })).out).toMatch(/deny run: write_file, for run:/)
})

test('CLI-01 refuses an unknown scope', async () => {
  const run = await waitingRun({})
  const { code, err } = await call(['approve', run, '1.scripted-0-0', '--scope', 'ever'], { cwd })
  expect([code, err]).toEqual([2, expect.stringContaining('Unknown scope "ever".')])
})

test('PERM-05 CLI-01 run --trust acts for the user who runs the command, and run without it for no user', async () => {
  for (const words of [['--trust'], []]) {
    const { code } = await call(['run', 'Hi', '--model', 'scripted', ...words], { cwd })
    expect(code).toBe(3)
  }
  const store = open()
  const inputs = await Promise.all((await store.list()).map(async ({ id }) => store.input?.(id)))
  expect(inputs.map((input) => Object.hasOwn(Object(input), 'userId'))).toEqual([false, true])
  await store.close()
})
