import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { findRun, shortIds } from '../../../src/apps/cli/runs/find-run.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fakeClock, type FakeClock } from '../../../proof/support/fake-clock.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'
import { killedRun } from './killed-run.ts'

let cwd: string
let clock: FakeClock

beforeEach(async () => {
  cwd = await temporaryFolder()
  clock = fakeClock()
})

const noColour = { NO_COLOR: '1' }

/** Stores finished runs under these ids, a prompt each. */
async function storeRuns(prompts: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const labels = { root: cwd, model: 'scripted/scripted' }
  const model = scripted(Object.keys(prompts).map(() => 'Done.'))
  const agent = createAgent({ name: 'statewright', model, store, clock })
  for (const [runId, prompt] of Object.entries(prompts)) {
    await agent.run(prompt, { runId, labels })
    clock.advance(60_000)
  }
  await store.close()
}

const onTerminal = (argv: readonly string[], columns = 80) =>
  call(argv, { cwd, clock, columns, answers: [], env: noColour })

test('CLI-01 lists runs on a terminal by short id, age, status, agent and first words', async () => {
  await storeRuns({ run_aaaaaaaa: 'Tidy the cellar', run_aaaaaaab: 'Water\nthe plants', mine: 'x'.repeat(300) })
  const { out } = await onTerminal(['runs'])
  expect(out.split('\n')).toEqual([
    `mine      1 min  done  statewright  ${'x'.repeat(42)}…`,
    'aaaaaaab  2 min  done  statewright  Water',
    'aaaaaaaa  3 min  done  statewright  Tidy the cellar',
    '',
  ])
})

test('CLI-01 omits the agent, then the prompt, on a narrow terminal', async () => {
  await storeRuns({ run_aaaaaaaa: 'Tidy the cellar and paint the door' })
  expect((await onTerminal(['runs'], 40)).out).toBe('aaaaaa  1 min  done  Tidy the cellar a…\n')
  expect((await onTerminal(['runs'], 20)).out).toBe('aaaaaa  1 min  done\n')
})

test('CLI-01 prints whole ids and times for programs', async () => {
  await storeRuns({ run_aaaaaaaa: 'Tidy the cellar' })
  const { out } = await call(['runs'], { cwd, clock })
  expect(out).toBe('run_aaaaaaaa  done (natural_end)    2023-11-14T22:13:20.000Z  statewright  Tidy the cellar\n')
  expect(lastLine(await call(['runs', '--json'], { cwd, clock }))).toMatchObject({
    runs: [{ id: 'run_aaaaaaaa', prompt: 'Tidy the cellar' }],
    hasMore: false,
    total: 1,
  })
})

test('CLI-01 accepts the beginning of an id and "last" wherever it accepts an id', async () => {
  await storeRuns({ run_abcdef: 'One', run_abxyz: 'Two', 'run_abcdef.2': 'Three' })
  const shown = async (given: string) => (await call(['show', given], { cwd })).out.split(' ').slice(0, 2).join(' ')
  expect(await shown('last')).toBe('run run_abcdef.2')
  expect(await shown('abx')).toBe('run run_abxyz')
  expect(await shown('run_abx')).toBe('run run_abxyz')
  expect(await shown('run_abcdef')).toBe('run run_abcdef')
  expect((await call(['resume', 'abx'], { cwd })).out).toContain('run run_abxyz done')
  for (const argv of [['approve'], ['deny'], ['respond', 'yes']]) {
    const [name = '', ...others] = argv
    expect((await call([name, 'last', ...others], { cwd })).err).toContain('No call of run run_abcdef.2 is suspended.')
  }
  expect((await call(['cancel', 'last'], { cwd })).err).toContain('Run run_abcdef.2 has ended already')
})

test('CLI-01 lists the runs that match an ambiguous beginning, and does nothing', async () => {
  await storeRuns({ run_abcdef: 'One', run_abxyz: 'Two' })
  const called = await call(['cancel', 'ab', '--json'], { cwd })
  expect(called.code).toBe(2)
  expect(called.err).toBe(
    'statewright: 2 runs begin with "ab". Use more of the id:\n  run_abxyz done\n  run_abcdef done\n',
  )
  expect(lastLine(called)).toMatchObject({ error: { code: 'ambiguous_run' } })
})

test('CLI-01 reports for "last" that a store has no runs', async () => {
  await storeRuns({})
  const called = await call(['show', 'last'], { cwd })
  expect(called).toMatchObject({ code: 4, out: '' })
  expect(called.err).toContain('The store has no run yet.')
})

test('CLI-01 shows a run whose process has died as stopped, with the command that drives it', async () => {
  const run = await killedRun(cwd)
  const listed = await call(['runs', '--json'], { cwd })
  expect(listed.err).toMatch(new RegExp(`^${run} {2}stopped `))
  expect(lastLine(listed)).toMatchObject({ runs: [{ id: run, status: 'running', isDriven: false }] })
  const { out } = await call(['show', 'last'], { cwd })
  expect(out).toContain(`run ${run} stopped, agent `)
  expect(out).toContain(`run ${run} is stopped: nobody drives it. To continue it: statewright resume ${run}`)
})

test('CLI-01 shows a driven run as running', async () => {
  const file = join(cwd, '.statewright', 'runs.db')
  await mkdir(join(cwd, '.statewright'))
  const store = sqliteStore(file)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const model = scripted([
    () => {
      asked.resolve()
      return answer.promise
    },
  ])
  const run = createAgent({ name: 'statewright', model, store }).start('Go', { labels: { root: cwd, model: 'x' } })
  await asked.promise
  expect((await call(['runs'], { cwd })).out).toMatch(new RegExp(`^${run.id} {2}running `))
  answer.resolve('Done.')
  await run.settled()
  await store.close()
})

test('CLI-01 shows that an answered run waits to be driven', async () => {
  const run = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  await call(['deny', run, '--no-drive'], { cwd })
  expect((await call(['runs'], { cwd })).out).toMatch(
    new RegExp(`^${run} {2}waiting, answered +\\S+ {2}statewright {2}Look$`, 'm'),
  )
})

test('CLI-01 does not list as answered a run that received a message and still asks', async () => {
  const run = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  await call(['compact', run], { cwd })
  await call(['follow-up', run, 'And then?'], { cwd })
  expect((await call(['runs'], { cwd })).out).toMatch(
    new RegExp(`^${run} {2}waiting {2,}\\S+ {2}statewright {2}Look$`, 'm'),
  )
})

test('CLI-01 gives each run of a conversation a short id that differs from other conversations', async () => {
  const store = memoryStore()
  const agent = createAgent({ name: 'clerk', model: scripted(['Yes.', 'No.']), store })
  for (const id of ['session_a1b2c3d4', 'session_a9b8c7d6']) await (await agent.session(id).prompt('Go')).settled()
  const runs = (await store.list({})).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const ids = runs.map(({ id }) => id)
  const short = [...shortIds(runs).values()]
  expect(short).toEqual(['a1b2c3.1', 'a9b8c7.1'])
  expect(await Promise.all(short.map((each) => findRun(store, each)))).toEqual(ids)
})

test('CLI-01 names a run of a conversation by session and number, and shows its prompt', async () => {
  const store = sqliteStore(join(cwd, 'runs.db'))
  const agent = createAgent({ name: 'statewright', model: scripted(['One.', 'Two.']), store, clock })
  for (const prompt of ['Tiles for the bath', 'Green ones'])
    await (await agent.session('session_a1b2c3d4').prompt(prompt)).settled()
  await store.close()
  const { out } = await onTerminal(['runs', '--store', 'runs.db'])
  expect(out).toMatch(/^a1b2c3\.2 .* Green ones\na1b2c3\.1 .* Tiles for the bath\n$/)
  expect((await call(['show', 'a1b2c3.1', '--store', 'runs.db'], { cwd, clock })).out).toContain('Tiles')
  const sessions = await onTerminal(['sessions', '--store', 'runs.db'])
  expect(sessions.out).toMatch(/^a1b2c3 .* 2 runs {2}statewright {2}Tiles for the bath\n$/)
  for (const [begin, code] of [
    ['session', 'bad_session_id'],
    ['run', 'bad_run_id'],
  ] as const) {
    const named = async () => (begin === 'run' ? await agent.run('Hi', { runId: 'last' }) : agent.session('last'))
    await expect(named()).rejects.toMatchObject({ code })
  }
})

test('AGT-05 CLI-01 lists a run without its sub-agents, and "last" means that run', async () => {
  const store = sqliteStore(join(cwd, 'runs.db'))
  const helper = createAgent({ name: 'helper', model: scripted(['Helped.']) })
  const help = { toolCalls: [{ name: 'help', arguments: { prompt: 'Help.' } }] }
  const tools = [helper.asTool({ name: 'help', description: 'Helps.' })]
  const boss = createAgent({ name: 'boss', model: scripted([help, 'Done.']), tools, store })
  const { runId } = await boss.run('Go')
  await boss.close()
  await store.close()
  const listed = lastLine(await call(['runs', '--json', '--store', 'runs.db'], { cwd }))
  expect(listed).toMatchObject({ runs: [{ id: runId }], total: 1 })
  expect((await call(['show', 'last', '--store', 'runs.db'], { cwd })).out).toContain(`run ${runId}`)
})
