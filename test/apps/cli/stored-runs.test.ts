import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { heldAnswer } from '../../../proof/support/held-answer.ts'
import { createAgent } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { livingOwner, newRun, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { call, lastLine, runIdIn } from './command.ts'
import { finishedRun, program } from './conversation.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** The whole of standard output as JSON. */
function json({ out }: { readonly out: string }): Record<string, unknown> {
  return JSON.parse(out)
}

test('CLI-01 prints only JSON on standard output, and texts for people on standard error', async () => {
  await finishedRun(cwd)
  for (const argv of [['runs'], ['show', 'first'], ['resume', 'first'], ['doctor'], ['help'], ['sessions']]) {
    const called = await call([...argv, '--json'], { cwd })
    expect(json(called)).toMatchObject({ command: argv[0], exitCode: 0 })
    expect(called.err).not.toBe('')
  }
})

test('CLI-01 lists runs by agent and by text, up to a number', async () => {
  const { agent, store } = await program(cwd, () => 'Yes.')
  for (const subject of ['rain', 'sun', 'rain']) await agent.run('Is it?', { subject })
  await store.close()
  expect(lastLine(await call(['runs', '--subject', 'rain', '--json'], { cwd }))).toMatchObject({ total: 2 })
  expect(lastLine(await call(['runs', '--agent', 'other', '--json'], { cwd }))).toMatchObject({ total: 0 })
  const cut = lastLine(await call(['runs', '--limit', '1', '--json'], { cwd }))
  expect(cut).toMatchObject({ total: 3, hasMore: true })
  expect(cut['runs']).toHaveLength(1)
  expect(await call(['runs', '--limit', '0'], { cwd })).toMatchObject({ code: 2, out: '' })
})

test('CLI-01 lists conversations, and deletes one with its runs after a confirmation', async () => {
  const { agent, store } = await program(cwd, () => 'Yes.')
  const talk = agent.session('talk-7', { subject: 'rain' })
  for (const prompt of ['Rain?', 'And tomorrow?']) await (await talk.prompt(prompt)).settled()
  await store.close()
  const listed = lastLine(await call(['sessions', '--json'], { cwd }))
  expect(listed).toMatchObject({ sessions: [{ id: 'talk-7', runs: 2, subject: 'rain' }], hasMore: false })
  const asked = await call(['delete', '--session', 'talk-7'], { cwd })
  expect(asked).toMatchObject({ code: 2, out: '' })
  expect(asked.err).toContain('--yes')
  const kept = await call(['delete', '--session', 'talk-7'], { cwd, answers: ['n'] })
  expect(kept.out).toContain('Delete conversation talk-7 with its 2 runs? [y/n] ')
  expect(kept.out).toContain('Nothing was deleted.')
  expect(await call(['delete', '--session', 'talk-7'], { cwd, answers: ['y'] })).toMatchObject({ code: 0 })
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 0 })
  expect(await call(['delete', '--session', 'talk-7', '--yes'], { cwd })).toMatchObject({ code: 4 })
})

test('CLI-01 accepts the short id that the list of conversations shows, but deletes nothing unasked by it', async () => {
  const { agent, store, labels } = await program(cwd, () => 'Yes.')
  const talk = agent.session('session_4f21aa90')
  const { id } = await talk.prompt('Rain?', { labels })
  await (await agent.load(id)).settled()
  await store.close()
  const listed = await call(['sessions'], { cwd, answers: [] })
  expect(stripVTControlCharacters(listed.out)).toMatch(/^4f21aa  /)
  const found = await call(['chat', '--session', '4f21aa'], { cwd })
  expect(found.out).toContain(`Say it with: statewright prompt ${id} "<text>"`)
  const unasked = await call(['delete', '--session', '4f21aa', '--yes'], { cwd })
  expect(unasked).toMatchObject({ code: 4, err: expect.stringContaining('With --yes the id must be whole.') })
  const deleted = await call(['delete', '--session', '4f21aa'], { cwd, answers: ['y'] })
  expect(deleted.out).toContain('deleted conversation session_4f21aa90 with 1 run')
})

test('CLI-01 deletes a run by the beginning of its id, and refuses an ambiguous beginning', async () => {
  const { agent, store } = await program(cwd, () => 'Yes.')
  for (const runId of ['run_abc1', 'run_abc2']) await agent.run('Is it?', { runId })
  await store.close()
  const refused = await call(['delete', 'abc', '--yes'], { cwd })
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('run_abc1')
  expect(refused.err).toContain('run_abc2')
  expect(await call(['delete', 'abc2', '--yes'], { cwd })).toMatchObject({ code: 0, out: 'deleted run run_abc2\n' })
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ runs: [{ id: 'run_abc1' }], total: 1 })
})

test('CLI-01 prunes finished runs that have not changed since a time', async () => {
  await finishedRun(cwd)
  const run = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  expect(lastLine(await call(['prune', '--before', '1d', '--yes', '--json'], { cwd }))).toMatchObject({ pruned: [] })
  const pruned = await call(['prune', '--before', '2999-01-01', '--yes', '--json'], { cwd })
  expect(lastLine(pruned)).toMatchObject({ pruned: ['run_first'] })
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ runs: [{ id: run, status: 'waiting' }] })
  for (const bad of ['soon', '', '3w', '2026-13-40'])
    expect(await call(['prune', '--before', bad, '--yes'], { cwd })).toMatchObject({ code: 2, out: '' })
})

test('CLI-01 forks a run from a checkpoint and drives the fork, and lists the checkpoints if none is given', async () => {
  const run = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  const { checkpoints } = lastLine(await call(['show', run, '--json'], { cwd }))
  const last = (checkpoints as readonly { readonly version: number }[]).at(-1)?.version
  const unnamed = await call(['fork', run], { cwd })
  expect(unnamed.code).toBe(2)
  expect(unnamed.err).toContain(`  ${last} `)
  expect(await call(['fork', run, '--from', '9999'], { cwd })).toMatchObject({ code: 4, out: '' })
  const forked = await call(['fork', run, '--from', String(last), '--model', 'scripted'], { cwd, answers: ['y'] })
  expect(forked.code).toBe(0)
  const fork = runIdIn(forked)
  expect(lastLine(await call(['show', fork, '--json'], { cwd }))).toMatchObject({
    run: { status: 'done', forkedFrom: { runId: run, version: last } },
  })
  expect(lastLine(await call(['show', run, '--json'], { cwd }))).toMatchObject({ run: { status: 'waiting' } })
})

test('CLI-01 exports a run as JSON, and its transcript as Markdown with fences that no content can close', async () => {
  const { agent, store } = await program(cwd, ['It rains.\n\n```js\nrain()\n```'])
  await agent.run('Weather?', { runId: 'run_first' })
  await store.close()
  expect(json(await call(['export', 'first'], { cwd }))).toMatchObject({
    run: { id: 'run_first', status: 'done' },
    transcript: [{ role: 'user' }, { role: 'assistant' }],
  })
  const { out } = await call(['export', 'first', '--format', 'markdown'], { cwd })
  expect(out).toMatch(/^# Run run_first\n/)
  expect(out).toContain('\n## User\n\nWeather?\n')
  expect(out).toContain('\n## Assistant (scripted/scripted)\n\nIt rains.\n')
  expect(await call(['export', 'first', '--format', 'png'], { cwd })).toMatchObject({ code: 2, out: '' })
  const demo = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  expect((await call(['export', demo, '--format', 'markdown'], { cwd })).out).toContain('```json\n{\n  "path"')
})

test("CLI-01 watches another program's run to its end, with its text live, without driving it", async () => {
  const { store, labels } = await program(cwd, [])
  const answer = heldAnswer()
  const agent = createAgent({ name: 'statewright', model: answer.model, store })
  const driven = agent.start('Weather?', { runId: 'run_first', labels }).settled()
  await answer.asked
  let seen = ''
  const rest = [' in Oslo.', undefined]
  const onPrint = (text: string) => {
    seen += text
    if (text === '> Weather?\n') answer.give('It rains')
    if (seen.includes('It')) while (rest.length > 0) answer.give(rest.shift())
  }
  const watched = await call(['watch', 'first'], { cwd, answers: [], env: { TERM: 'dumb' }, onPrint })
  expect(watched.code).toBe(0)
  expect(watched.out).toMatch(/^> Weather\?\nIt rains in Oslo\.\nrun run_first done\n$/)
  await driven
  await store.close()
})

test('CLI-01 watches a stopped run, reports it, does not change it, and ends at Ctrl-C', async () => {
  const { agent, store } = await program(cwd, ['It rains.'])
  const stored = agent.start('Weather?', { runId: 'run_first', drive: false })
  await stored.result()
  await store.close()
  const watched = await call(['watch', 'first'], { cwd, answers: [], interruptAt: 'nobody drives it' })
  expect(watched.code).toBe(130)
  const after = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  expect(await after.record('run_first')).toMatchObject({ status: 'running' })
  await after.close()
})

test('CLI-01 doctor names the keys that are set without their values, and servers without their credentials', async () => {
  await finishedRun(cwd)
  const env = { ANTHROPIC_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'https://ann:word@example.org/v1?token=hush' }
  const { out, err, code } = await call(['doctor', '--json'], { cwd, env })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    keys: ['ANTHROPIC_API_KEY'],
    servers: { OPENAI_BASE_URL: 'https://example.org/v1' },
    store: { runs: 1, driven: [] },
  })
  expect(out + err).not.toMatch(/sk-secret|word|hush/)
  expect(err).toMatch(/^locks {7}no run is driven$/m)
})

test('CKP-05 CLI-01 deletes a run whose process is stopped, once its lease was not renewed for its lifetime', async () => {
  const owner = livingOwner('stopped')
  if (owner === undefined) return
  const { store } = await program(cwd, [])
  await store.create(newRun('run_stuck'), owner, -1)
  await store.close()
  const waits: number[] = []
  const clock = { now: () => start, sleepUntil: async (due: number) => void waits.push(due - start) }
  const called = await call(['delete', 'run_stuck', '--yes'], { cwd, clock })
  expect(called).toMatchObject({ code: 0, out: expect.stringContaining('deleted run run_stuck\n') })
  expect(called.out).toContain('The lease of run run_stuck has expired, but its process is alive. Waiting 30 seconds')
  expect(waits).toEqual([30_000])
})
