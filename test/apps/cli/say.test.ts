import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, type Plugin } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** The agent of the command line in a program of its own, on the store of the working folder. */
async function program(replies: readonly ScriptedReply[], plugins: readonly Plugin[] = []) {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const tools = fileTools({ root: cwd })
  const agent = createAgent({ name: 'statewright', model: scripted(replies), tools, store, plugins })
  const labels = { root: cwd, model: 'scripted/scripted' }
  return { agent, store, labels }
}

const ready = { model: ['--model', 'scripted'] }
const writing = { toolCalls: [{ name: 'write_file', arguments: { path: 'a', content: 'a' } }] }

test('CLI-01 AGT-03 a message to a waiting run is stored and shown, and read when the run continues', async () => {
  const started = await call(['run', 'Look', ...ready.model], { cwd })
  const id = runIdIn(started)
  const steered = await call(['steer', id, 'Say it in one line.'], { cwd })
  expect(steered).toEqual({ code: 0, out: 'message stored; the run reads it when it continues\n', err: '' })
  expect(await call(['follow-up', id, 'Thanks.', '--json'], { cwd })).toMatchObject({ code: 0 })
  const shown = await call(['show', id, '--json'], { cwd })
  expect(lastLine(shown)).toMatchObject({
    stored: [
      { action: 'steer', callId: null },
      { action: 'followUp', callId: null },
    ],
  })
  expect(shown.err).toContain('stored, not carried out yet: steering\nstored, not carried out yet: a follow-up\n')
  expect(shown.err).toContain(`run ${id} waits for a decision\n`)
  const command = /approve: statewright (.*)$/m.exec(started.out)?.[1] ?? ''
  expect((await call(command.split(' '), { cwd })).code).toBe(3)
  const { transcript } = lastLine(await call(['show', id, '--json'], { cwd }))
  const said = (transcript as { role: string; content: { text: string }[] }[]).flatMap(({ role, content }) =>
    role === 'user' ? content.map(({ text }) => text) : [],
  )
  expect(said).toEqual(['Look', 'Say it in one line.', 'Thanks.'])
})

test('CLI-01 AGT-03 a message drives a stopped run, and is only stored with --no-drive', async () => {
  const { agent, store, labels } = await program([])
  await agent.start('Look', { runId: 'r-1', drive: false, labels }).result()
  await store.close()
  const kept = await call(['follow-up', 'r-1', 'And then?', '--no-drive'], { cwd })
  expect(kept).toMatchObject({ code: 0, err: '' })
  expect(kept.out).toBe('message stored; to continue the run: statewright resume r-1\n')
  const driven = await call(['steer', 'r-1', 'Be brief.', ...ready.model], { cwd })
  expect(driven.code).toBe(3)
  expect(driven.out).toContain('→ list_files')
})

test('CLI-01 AGT-03 a message to a run that another process drives is left to that process', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { agent, store, labels } = await program([() => promise, 'Brief.'])
  const run = agent.start('Look', { runId: 'r-1', labels })
  await run.result()
  const { code, out } = await call(['follow-up', 'r-1', 'Be brief.'], { cwd })
  expect({ code, out }).toEqual({ code: 0, out: 'message stored; the process that drives the run delivers it\n' })
  resolve('At length.')
  expect((await run.settled()).text).toBe('Brief.')
  await store.close()
})

test.each([
  [
    ['steer', 'r-1', 'More.'],
    4,
    'Run r-1 has ended and accepts no more messages.\n  Continue it in a new run: statewright prompt r-1 "<text>"\n',
  ],
  [['follow-up', 'r-1', ' '], 2, 'The text is empty.\n  Usage: statewright follow-up <id> <text>'],
  [['steer', 'r-1'], 2, '"steer" needs <text>.'],
  [['steer', 'r-1', 'Be', 'brief.'], 2, 'Put the text in quotes.'],
  [['steer', 'nobody', 'More.'], 4, 'nobody'],
])('CLI-01 AGT-03 refuses %j with advice', async (argv, code, said) => {
  const { agent, store, labels } = await program(['Bye'])
  await agent.run('Look', { runId: 'r-1', labels })
  await store.close()
  const refused = await call(argv, { cwd })
  expect(refused.code).toBe(code)
  expect(refused.err).toContain(said)
})

test('CLI-01 AGT-03 shows the messages that a run never read, also in the JSON', async () => {
  const { agent, store, labels } = await program([writing])
  const run = agent.start('Look', { runId: 'r-1', labels })
  await run.settled()
  await run.followUp('And\nthen?')
  await run.cancel()
  await run.settled()
  await store.close()
  const shown = await call(['show', 'r-1', '--json'], { cwd })
  expect(shown.err).toContain('not delivered: And then?\n')
  expect(lastLine(shown)).toMatchObject({ undelivered: ['And\nthen?'] })
})

test('CLI-01 PH-03 shows a rejection with its filter and reason', async () => {
  const { agent, store, labels } = await program(
    ['Bye'],
    [{ name: 'no-keys', filterInput: () => ({ reject: 'It holds a key.' }) }],
  )
  await agent.run('sk-1', { runId: 'r-1', labels })
  await store.close()
  const shown = await call(['show', 'r-1', '--json'], { cwd })
  expect(shown.err).toContain('no-keys refused the prompt: It holds a key.\n')
  expect(lastLine(shown)).toMatchObject({ rejection: { filter: 'no-keys', reason: 'It holds a key.' } })
})
