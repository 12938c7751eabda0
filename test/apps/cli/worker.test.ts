import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { agentModule } from './agent-modules.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

const program = fileURLToPath(new URL('../../../src/apps/cli/main.ts', import.meta.url))

/** A worker in a terminal of its own; `until` gives the first line from now on that has this in it. */
function startWorker(...options: readonly string[]) {
  const child = spawn(process.execPath, [program, 'worker', ...options], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const seen: string[] = []
  return {
    child,
    seen,
    async until(part: string): Promise<string> {
      for (;;) {
        const { done, value } = await lines.next()
        if (done === true) throw new Error(`The worker ended before "${part}": ${seen.join('\n')}`)
        seen.push(value)
        if (value.includes(part)) return value
      }
    },
    async end(signal: NodeJS.Signals): Promise<unknown> {
      const exit = once(child, 'exit')
      child.kill(signal)
      return (await exit)[0]
    },
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'SCALE-01 CLI-01 the worker command drives what another terminal starts and approves, and ends with 0 at %s',
  async (signal) => {
    const agents = ['--agents', await agentModule(cwd, 'given a store')]
    const started = await call(['run', 'Stamp it.', ...agents], { cwd })
    expect(started.code).toBe(3)
    const run = runIdIn(started)
    const worker = startWorker(...agents, '--concurrency', '2')
    const first = await worker.until('drives runs of clerk')
    const id = first.split(' ')[1]
    const shown = await call(['workers'], { cwd })
    expect(shown.out).toContain(`${id} (process ${worker.child.pid} on `)
    const stored = await call(['approve', run, '1.c1', '--no-drive'], { cwd })
    expect(stored.out).toContain(
      `decision stored; the run is continued by worker ${id} (process ${worker.child.pid} on `,
    )
    await worker.until(`released ${run}: done`)
    expect(lastLine(await call(['show', run, '--json'], { cwd }))).toMatchObject({ text: 'Stamped it.' })
    expect(await worker.end(signal)).toBe(0)
    expect((await call(['workers'], { cwd })).out).toBe('no worker has been seen for an hour\n')
  },
)

test('SCALE-01 CLI-01 another worker continues where one was killed, and prints each event as JSON', async () => {
  const agents = ['--agents', await agentModule(cwd, 'of two agents')]
  const started = await call(['run', 'Stamp it.', ...agents, '--agent', 'mailer'], { cwd })
  const run = runIdIn(started)
  const killed = startWorker(...agents)
  await killed.until('drives runs of clerk, mailer')
  await killed.end('SIGKILL')
  await call(['approve', run, '1.c1', '--no-drive'], { cwd })
  const worker = startWorker(...agents, '--json')
  const line = await worker.until('"type":"released"')
  expect(JSON.parse(line)).toMatchObject({ type: 'released', runId: run, agent: 'mailer', status: 'done' })
  const last = worker.until('"exitCode"')
  worker.child.kill('SIGTERM')
  expect(JSON.parse(await last)).toMatchObject({ command: 'worker', exitCode: 0, counts: { claimed: 1, driving: 0 } })
})

test('CLI-01 warns that an approval will have no driver, and names the command to run', async () => {
  const agents = ['--agents', await agentModule(cwd, 'given a store')]
  const run = runIdIn(await call(['run', 'Stamp it.', ...agents], { cwd }))
  const foreign = await call(['approve', run, '1.c1'], { cwd })
  expect(foreign).toMatchObject({
    code: 4,
    err: expect.stringContaining('Continue it with its agent: --agents <module>'),
  })
  const stored = await call(['approve', run, '1.c1', '--no-drive'], { cwd })
  const ways = `run statewright worker --agents <module>, or statewright resume ${run} --agents <module>`
  expect(stored.out).toContain(`decision stored; no worker of its agent "clerk" has been seen: ${ways}\n`)
  const resumed = await call(['resume', run, ...agents], { cwd })
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('Stamped it.') })
})

test.each([
  ['approve', ['1.c1'], 'natural_end'],
  ['deny', ['1.c1'], 'natural_end'],
  ['respond', ['1.c1', 'by hand'], 'natural_end'],
  ['cancel', [], 'cancelled'],
] as const)('CLI-01 %s drives a run of your own agent', async (command, given, reason) => {
  const agents = ['--agents', await agentModule(cwd, 'given a store')]
  const run = runIdIn(await call(['run', 'Stamp it.', ...agents], { cwd }))
  const answered = await call([command, run, ...given, ...agents, '--json'], { cwd })
  expect(lastLine(answered)).toMatchObject({ exitCode: 0, run: { id: run, status: 'done', reason } })
  if (command !== 'approve') return
  const next = await call(['prompt', run, 'And now?', ...agents], { cwd })
  expect(next.out).toContain(`It goes on from run ${run}.`)
})

test('CLI-01 drives agents with their own store in it, and accepts no other store for them', async () => {
  const agents = ['--agents', await agentModule(cwd, 'with a store of its own')]
  const run = runIdIn(await call(['run', 'Stamp it.', ...agents], { cwd }))
  expect(await readdir(cwd)).toContain('own.db')
  expect(await readdir(cwd)).not.toContain('.statewright')
  for (const command of [['runs'], ['show', run], ['export', run], ['grants'], ['sessions']])
    expect(await call([...command, ...agents], { cwd })).toMatchObject({ code: 0 })
  const unnamed = await call(['approve', run, ...agents], { cwd })
  const [hint = ''] = /(?<=statewright )show .*$/m.exec(unnamed.err) ?? []
  expect(await call(hint.split(' '), { cwd })).toMatchObject({ code: 0, out: expect.stringContaining('stamp') })
  expect((await call(['approve', run, '1.c1', ...agents], { cwd })).code).toBe(0)
  const other = await call(['approve', run, '1.c1', ...agents, '--store', 'other.db'], { cwd })
  expect(other).toMatchObject({
    code: 2,
    err: expect.stringContaining('have a store of their own, and --store cannot replace it'),
  })
})

test.each([
  ['without an agent', 'exports no agent'],
  ['with two of one name', 'exports two agents named "clerk"'],
  ['with two stores', 'have 2 stores'],
  ['without a store', 'Agent "clerk" of "without-a-store.mjs" has no store'],
  ['that throws', 'cannot be loaded: no key is set'],
  ['whose function throws', 'cannot be loaded: no key is set'],
  ['whose function ignores its store', 'does not use the store that its function received'],
] as const)('CLI-01 a worker refuses a module %s', async (which, said) => {
  const refused = await call(['worker', '--agents', await agentModule(cwd, which)], { cwd })
  expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) })
})

test.each([
  [['worker'], 'A worker needs the agents whose runs it drives.'],
  [['worker', '--agents', 'nowhere.mjs'], 'There is no module "nowhere.mjs".'],
  [['worker', '--agents', ''], 'There is no module "".'],
  [['resume', 'last', '--agents', 'nowhere.mjs'], 'There is no module "nowhere.mjs".'],
  [['worker', '--agents', 'given-a-store.mjs', '--concurrency', '0'], '--concurrency is "0".'],
  [['worker', '--agents', 'given-a-store.mjs', '--concurrency', 'many'], 'Expected a whole number, 1 or more.'],
  [['workers', 'last'], 'workers takes a run only with --retry.'],
  [['workers', '--retry'], 'workers takes a run only with --retry.'],
  [['run', 'Hi', '--agents', 'of-two-agents.mjs'], 'Name one: --agent <name>'],
  [['run', 'Hi', '--agents', 'of-two-agents.mjs', '--agent', 'cook'], 'The module exports no agent "cook".'],
  [['runs', '--store', 'postgres://a:b:c'], 'The address of --store cannot be read.'],
])('CLI-01 refuses %j and says what was expected', async (argv, said) => {
  await agentModule(cwd, 'given a store')
  await agentModule(cwd, 'of two agents')
  if (argv[0] === 'workers') await sqliteStore(await storeFile()).close()
  const refused = await call(argv, { cwd })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(said) })
})

test('CLI-01 refuses an invalid store, and leaves it unchanged', async () => {
  const garbage = join(cwd, 'given-a-store.mjs')
  const agents = ['--agents', await agentModule(cwd, 'given a store')]
  const before = await readFile(garbage, 'utf8')
  const refused = await call(['worker', ...agents, '--store', garbage], { cwd })
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('is not a SQLite database') })
  expect(await readFile(garbage, 'utf8')).toBe(before)
})

test('SCALE-01 CLI-01 workers lists runs that were set aside, and returns them to the workers', async () => {
  const agents = ['--agents', await agentModule(cwd, 'given a store')]
  const run = runIdIn(await call(['run', 'Stamp it.', ...agents], { cwd }))
  const store = sqliteStore(await storeFile())
  const owner = { id: 'w', host: 'elsewhere', pid: 1, pidStart: '' }
  const { lease } = await store.claim(run, owner, 60_000)
  if (lease === undefined) throw new Error('The run is done.')
  await store.release(lease, { failures: 5, problem: 'ends its\nprocess' })
  await store.close()
  const shown = await call(['workers', '--json'], { cwd })
  expect(shown.err).toContain(
    `${run} of clerk: failed 5 times: ends its process; set aside; statewright workers --retry ${run}`,
  )
  expect(lastLine(shown)).toMatchObject({ workers: [], postponed: [{ runId: run, failures: 5 }] })
  expect((await call(['workers', '--retry', run], { cwd })).out).toBe(`run ${run}: workers may take it again\n`)
  expect((await call(['workers', '--retry', run], { cwd })).out).toBe(`run ${run} was not left alone by workers\n`)
})

async function storeFile(): Promise<string> {
  await call(['run', 'Hi', '--agents', await agentModule(cwd, 'given a store')], { cwd })
  return join(cwd, '.statewright', 'runs.db')
}
