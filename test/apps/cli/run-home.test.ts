import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string
let root: string
let store: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  root = await temporaryFolder()
  store = join(root, 'runs.db')
  await writeFile(join(root, 'README.md'), 'A project\n')
})

/** A run that waits to write into the root. */
async function waitingRun(): Promise<string> {
  return runIdIn(await call(['run', 'Look around', '--model', 'scripted', '--store', 'runs.db'], { cwd: root }))
}

/** A run of an agent that is not the command line's. */
async function foreignRun(name: string): Promise<string> {
  const runs = sqliteStore(store)
  const model = scripted([{ toolCalls: [{ name: 'write_file', arguments: { path: 'a', content: 'b' } }] }])
  const { runId } = await createAgent({ name, model, tools: fileTools({ root }), store: runs }).run('Write')
  await runs.close()
  return runId
}

test('CLI-01 writes into the folder where the run was started, from any folder of the approval', async () => {
  const run = await waitingRun()
  expect((await call(['approve', run, '3.scripted-2-0', '--store', store], { cwd })).code).toBe(0)
  expect(await readdir(cwd)).toEqual([])
  expect(await readdir(root)).toContain('statewright-demo.md')
})

test("CLI-01 refuses a root other than the run's, and names both", async () => {
  const run = await waitingRun()
  for (const command of ['approve', 'resume', 'show']) {
    const { code, err } = await call([command, run, '--store', store, '--root', '.'], { cwd })
    expect(code).toBe(2)
    expect(err).toContain(`Run ${run} works in ${root}, not in ${cwd}.`)
  }
  await symlink(root, join(cwd, 'link'))
  expect((await call(['approve', run, '3.scripted-2-0', '--store', store, '--root', 'link'], { cwd })).code).toBe(0)
})

test('CLI-01 asks where the folder of a run has moved', async () => {
  const run = await waitingRun()
  const moved = join(cwd, 'moved')
  await rename(root, moved)
  const refused = await call(['approve', run, '3.scripted-2-0', '--store', 'runs.db'], { cwd: moved })
  expect(refused.code).toBe(4)
  expect(refused.err).toContain(`The folder ${root} of run ${run} does not exist any more.`)
  expect(
    (await call(['approve', run, '3.scripted-2-0', '--store', 'runs.db', '--root', '.'], { cwd: moved })).code,
  ).toBe(0)
  expect(await readdir(moved)).toContain('statewright-demo.md')
})

test("CLI-01 continues with the run's original model, with any keys set", async () => {
  const stopped = await call(['run', 'Look around', '--model', 'scripted', '--store', store], {
    cwd: root,
    interruptAt: 'run ',
  })
  expect(stopped.code).toBe(130)
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
  const resumed = await call(['resume', runIdIn(stopped), '--store', store], { cwd, env })
  expect(resumed).toMatchObject({ code: 3, err: '' })
})

test("CLI-01 stores the model's requested name, not its server's name for it", async () => {
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
  const argv = ['run', 'Hi', '--model', 'anthropic/claude-of-mine', '--store', store]
  const run = runIdIn(await call(argv, { cwd: root, env, interruptAt: 'run ' }))
  const { code, err } = await call(['resume', run, '--store', store], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('ANTHROPIC_API_KEY is not set.')
  const shown = await call(['show', run, '--store', store, '--json'], { cwd })
  expect(shown.err).toContain(`folder ${root}, model anthropic/claude-of-mine`)
  expect(lastLine(shown)).toMatchObject({ run: { root, model: 'anthropic/claude-of-mine' } })
})

test.each(['clerk', 'statewright'])(
  'CLI-01 does not drive a run that the agent "%s" of another program started',
  async (name) => {
    const run = await foreignRun(name)
    const commands = [
      ['approve', run, '1.scripted-0-0'],
      ['deny', run],
      ['respond', run, 'text'],
      ['resume', run],
      ['cancel', run],
    ]
    for (const command of commands) {
      const { code, err } = await call([...command, '--store', store], { cwd })
      expect(code).toBe(4)
      expect(err).toContain(`Run ${run} belongs to the agent "${name}" of another program`)
      expect(err).toContain('--no-drive')
    }
    expect((await call(['show', run, '--store', store], { cwd })).out).toContain('needs approval')
  },
)

test("CLI-01 stores a decision for another program's run by the command that it prints", async () => {
  const run = await foreignRun('clerk')
  const { out } = await call(['show', run, '--store', store], { cwd })
  const command = /approve: statewright (.*)$/m.exec(out)?.[1] ?? ''
  expect((await call(command.split(' '), { cwd })).code).toBe(0)
  const runs = sqliteStore(store)
  const agent = createAgent({ name: 'clerk', model: scripted(['', 'Done.']), tools: fileTools({ root }), store: runs })
  expect((await (await agent.load(run)).settled()).status).toBe('done')
  await runs.close()
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('b')
})
