import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, ModelError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { type Called, call, lastLine, runIdIn } from './command.ts'
import { finishedRun, listed, program } from './conversation.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** Every command line in these hints. */
const commandsIn = ({ err }: Called) => err.match(/statewright [a-z].*$/gm) ?? []

test('CLI-01 AGT-02 refuses a run that waits for a decision, and names the commands for it', async () => {
  const id = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  const refused = await call(['prompt', id, 'And now?', '--json'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.err).toBe(
    [
      `statewright: Run ${id} waits for a decision, and only a run that is done can be continued by a prompt.`,
      `  See what it waits for, and what answers it: statewright show ${id}`,
      `  Send it for the next turn: statewright steer ${id} "<text>"`,
      `  Send it for when the run would end: statewright follow-up ${id} "<text>"`,
      `  End it: statewright cancel ${id}`,
      '',
    ].join('\n'),
  )
  expect(lastLine(refused)).toMatchObject({ command: 'prompt', exitCode: 4, error: { code: 'run_waiting' } })
  await call(['deny', id, '--no-drive'], { cwd })
  expect((await call(['prompt', id, 'And now?'], { cwd })).err).toContain(`statewright resume ${id}\n`)
  expect(await listed(cwd)).toMatchObject({ total: 1 })
})

test("CLI-01 AGT-02 refuses a run that waits for its model, even without the model's package", async () => {
  await mkdir(join(cwd, '.statewright'))
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const model = scripted([{ error: new ModelError('network', 'Connection refused.') }])
  const retry = { maxRetries: 0 }
  const agent = createAgent({ name: 'statewright', model, store, retry, onModelFailure: 'wait' })
  await agent.run('Weather?', { runId: 'r-1', labels: { root: cwd, model: 'anthropic/claude-of-mine' } })
  await store.close()
  const refused = await call(['prompt', 'r-1', 'And now?'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.err).toContain(
    'Run r-1 waits for its model, and only a run that is done can be continued by a prompt.',
  )
  expect(commandsIn(refused)[0]).toBe('statewright resume r-1')
})

test('CLI-01 AGT-02 refuses a stopped run, and names the command that drives it', async () => {
  const { agent, store, labels } = await program(cwd, [])
  await agent.start('Weather?', { runId: 'r-1', drive: false, labels }).result()
  await store.close()
  const refused = await call(['prompt', 'r-1', 'And now?', '--store', '.statewright/runs.db'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.err).toContain('Run r-1 is stopped, and only a run that is done can be continued by a prompt.')
  const file = join(cwd, '.statewright', 'runs.db')
  expect(commandsIn(refused)).toEqual([
    `statewright resume r-1 --store ${file}`,
    `statewright steer r-1 --store ${file} "<text>"`,
    `statewright follow-up r-1 --store ${file} "<text>"`,
    `statewright cancel r-1 --store ${file}`,
  ])
})

test('CLI-01 AGT-02 refuses a run that another process drives, which still accepts messages', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { agent, store, labels } = await program(cwd, [() => promise, 'Dry.'])
  const run = agent.start('Weather?', { runId: 'r-1', labels })
  await run.result()
  const refused = await call(['prompt', 'r-1', 'And tomorrow?', '--json'], { cwd })
  expect(refused.err).toContain('Run r-1 is running, and only a run that is done can be continued by a prompt.')
  expect(lastLine(refused)).toMatchObject({ exitCode: 4, error: { code: 'run_busy' } })
  expect(commandsIn(refused).map((command) => command.split(' ')[1])).toEqual(['steer', 'follow-up', 'cancel'])
  await call(['follow-up', 'r-1', 'And tomorrow?'], { cwd })
  resolve('Rain.')
  expect((await run.settled()).text).toBe('Dry.')
  await store.close()
})

test.each([
  [['prompt', 'nobody', 'More.'], 4, 'nobody'],
  [['prompt', 'first', ' '], 2, 'The prompt is empty.\n  Usage: statewright prompt <id> <prompt>'],
  [['prompt', 'first'], 2, '"prompt" needs <prompt>.'],
  [['prompt', 'first', 'And', 'now?'], 2, 'Put the prompt in quotes.'],
  [['prompt', 'first', 'More.', '--no-drive'], 2, 'Option --no-drive does not belong to "prompt".'],
  [['prompt', 'first', 'More.', '--shell', 'docker'], 2, 'No sandbox is named "docker".'],
  [['prompt', 'first', 'More.', '--store', 'none.db'], 4, 'There is no store at'],
])('CLI-01 AGT-02 refuses %j with advice, and stores nothing', async (argv, code, said) => {
  await finishedRun(cwd)
  const refused = await call(argv, { cwd })
  expect(refused).toMatchObject({ code, out: '' })
  expect(refused.err).toContain(said)
  expect(await listed(cwd)).toMatchObject({ total: 1 })
})

test.each([
  ['run_first', 'Continue it with its agent: --agents <module>, or with the program that started it.'],
  ['r-2', 'Continue it with its agent: --agents <module>, or with the program that started it.'],
])('CLI-01 AGT-02 refuses %s of another program', async (runId, said) => {
  await mkdir(join(cwd, '.statewright'))
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const agent = createAgent({ name: 'clerk', model: scripted(['It rains.']), store })
  await agent.run('Weather?', { runId: 'run_first' })
  await agent.start('Weather?', { runId: 'r-2', drive: false }).result()
  await store.close()
  const refused = await call(['prompt', runId, 'And now?'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.err).toContain(`Run ${runId} belongs to the agent "clerk" of another program`)
  expect(refused.err).toContain(said)
  const told = await call(['steer', 'run_first', 'And now?'], { cwd })
  expect(told.err).toContain(
    'Continue it in a new run: use the program of its agent "clerk", or its module: --agents <file>\n',
  )
})

test('CLI-01 AGT-02 a message to a finished run names the command that continues it', async () => {
  await finishedRun(cwd)
  for (const command of ['steer', 'follow-up']) {
    const refused = await call([command, 'first', 'Look around'], { cwd })
    expect(refused.code).toBe(4)
    expect(commandsIn(refused)).toEqual(['statewright prompt run_first "<text>"', 'statewright run "<prompt>"'])
  }
})
