import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

const labels = () => ({ root: cwd, model: 'scripted/scripted' })

/** The agent of the command line in a program of its own, on the store of the working folder. */
async function program(replies: readonly ScriptedReply[]) {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const agent = createAgent({ name: 'statewright', model: scripted(replies), tools: fileTools({ root: cwd }), store })
  return { agent, store }
}

test('CLI-01 CTX-02 compact stores a run after a finished one, and the next prompt is smaller', async () => {
  const { agent, store } = await program(['Bye'])
  await agent.run('Look', { runId: 'r-1', labels: labels() })
  await store.close()
  const compacted = await call(['compact', 'r-1'], { cwd })
  const id = runIdIn(compacted)
  expect(compacted).toEqual({
    code: 0,
    out:
      `run ${id}\nIt continues run r-1, which has ended and is unchanged.\n` +
      `the conversation is shortened before its next prompt: statewright prompt ${id} "<text>"\n`,
    err: '',
  })
  const prompted = await call(['prompt', id, 'And now?', '--model', 'scripted'], { cwd })
  expect(prompted.out).toContain('The conversation cannot be shortened further: ')
})

test('CLI-01 CTX-02 a waiting run stores compact, shows it, and carries it out when it continues', async () => {
  const { agent, store } = await program([
    { toolCalls: [{ name: 'write_file', arguments: { path: 'a', content: 'a' } }] },
  ])
  await agent.run('Look', { runId: 'r-1', labels: labels() })
  await store.close()
  const compacted = await call(['compact', 'r-1'], { cwd })
  expect(compacted).toEqual({ code: 0, out: 'request stored; it is done when the run continues\n', err: '' })
  const shown = await call(['show', 'r-1', '--json'], { cwd })
  expect(lastLine(shown)).toMatchObject({ stored: [{ action: 'compact', callId: null }] })
  expect(shown.err).toContain('stored, not carried out yet: a smaller prompt\n')
  const approved = await call(['approve', 'r-1', '1.scripted-0-0', '--model', 'scripted'], { cwd })
  expect(approved.out).toContain('The conversation cannot be shortened further: ')
})

test('CLI-01 CTX-02 compact drives a stopped run, and leaves a run that another process drives to that process', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { agent, store } = await program([() => promise])
  await agent.start('Look', { runId: 'r-1', drive: false, labels: labels() }).result()
  const run = agent.start('Look', { runId: 'r-2', labels: labels() })
  await run.result()
  const driven = await call(['compact', 'r-1', '--model', 'scripted'], { cwd })
  expect(driven.out).toContain('The conversation cannot be shortened further: ')
  const left = await call(['compact', 'r-2'], { cwd })
  expect(left).toMatchObject({ code: 0, out: 'request stored; the process that drives the run does it\n' })
  resolve('Bye')
  await run.settled()
  await store.close()
})

test('CLI-01 CTX-02 compact refuses an unknown run', async () => {
  const { store } = await program([])
  await store.close()
  const refused = await call(['compact', 'nobody'], { cwd })
  expect(refused.code).toBe(4)
  expect(refused.err).toContain('nobody')
})
