import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { beat } from '../../../src/core/domain/worker-record.ts'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

const zap = tool({
  name: 'zap',
  description: 'Zaps',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'zapped',
})

/** A run that waits for the approval of a tool the command line has not. */
async function waitingRun(name: string, version?: string): Promise<string> {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const model = scripted([{ toolCalls: [{ name: 'zap', arguments: {} }] }])
  const agent = createAgent({ name, model, tools: [zap], store, ...(version && { version }) })
  const { runId, status } = await agent.run('Zap', { labels: { root: cwd, model: 'scripted/scripted' } })
  expect(status).toBe('waiting')
  await store.close()
  return runId
}

test('CLI-01 reports its findings before anything has run, and creates nothing', async () => {
  const { code, out, err } = await call(['doctor', '--runs'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`node        ${process.versions.node}\n`)
  expect(out).toContain('model       none: No model is configured. Set ANTHROPIC_API_KEY')
  expect(out).toMatch(/^bubblewrap {2}\S/m)
  expect(out).toContain('store       none yet: ')
  expect(await readdir(cwd)).toEqual([])
})

test('CLI-01 finds no obstacle for a run that could continue, and leaves it unchanged', async () => {
  const run = runIdIn(await call(['run', 'Look', '--model', 'scripted'], { cwd }))
  const before = await call(['show', run], { cwd })
  const called = await call(['doctor', '--runs', '--model', 'scripted', '--json'], { cwd })
  expect(called.err).toContain('1 open run: nothing stands in the way\n')
  expect(lastLine(called)).toMatchObject({
    command: 'doctor',
    exitCode: 0,
    model: 'scripted/scripted',
    store: { runs: 1 },
    checked: 1,
    problems: [],
    ofOtherAgents: 0,
  })
  expect(await call(['show', run], { cwd })).toEqual(before)
})

test('CLI-01 names a run that could not continue, with exit code 4, and only with --runs', async () => {
  const run = await waitingRun('statewright')
  const file = await readFile(join(cwd, '.statewright', 'runs.db'))
  const called = await call(['doctor', '--runs', '--json'], { cwd })
  expect(called.code).toBe(4)
  expect(called.err).toContain(`1 open run, 1 cannot go on\n  ${run}  waiting  tool_missing\n    Call "`)
  expect(lastLine(called)).toMatchObject({ problems: [{ runId: run, status: 'waiting', code: 'tool_missing' }] })
  expect((await call(['doctor'], { cwd })).code).toBe(0)
  expect(await readFile(join(cwd, '.statewright', 'runs.db'))).toEqual(file)
})

test("CLI-01 does not check other agents' runs, and reports that", async () => {
  await waitingRun('zapper')
  const { code, out } = await call(['doctor', '--runs'], { cwd })
  expect(code).toBe(0)
  expect(out).toContain('0 open runs: nothing stands in the way\n')
  expect(out).toContain('1 open of other agents: their programs check them, by checkRuns\n')
})

test('AGT-05 CLI-01 names an open member of a family whose agent the command line has not, with exit code 4', async () => {
  const store = sqliteStore(join(cwd, 'family.db'))
  const model = scripted([{ toolCalls: [{ name: 'zap', arguments: {} }] }])
  const helper = createAgent({ name: 'helper', model, tools: [zap] })
  const asks = scripted([{ toolCalls: [{ name: 'helper', arguments: { prompt: 'Zap' } }] }])
  const agent = createAgent({
    name: 'statewright',
    model: asks,
    store,
    tools: [helper.asTool({ description: 'Zaps' })],
  })
  await agent.run('Zap', { runId: 'r1' })
  await store.close()
  const { code, out } = await call(['doctor', '--runs', '--store', 'family.db'], { cwd })
  expect([code, out.includes('of other agents')]).toEqual([4, false])
  expect(out).toContain('2 open runs, 2 cannot go on\n')
  expect(out).toMatch(/  r1\S+  waiting  agent_unknown\n    The agent "statewright\/helper" is unknown here/)
})

test('VER-01 names the open runs that wait for a version without a worker, with exit code 4', async () => {
  const run = await waitingRun('zapper', '2026-11')
  const called = await call(['doctor', '--runs', '--json'], { cwd })
  expect(called.code).toBe(4)
  expect(called.err).toContain(
    `1 open run kept for version "2026-11" of the agent "zapper", which no worker has: ${run}`,
  )
  expect(lastLine(called)).toMatchObject({
    unknownVersions: [{ agent: 'zapper', version: '2026-11', runIds: [run] }],
    ofOtherAgents: 1,
  })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const worker = { id: 'w', host: 'h', pid: 1, concurrency: 1, driving: 0, startedAt: 1 }
  await store.change(beat({ ...worker, agents: ['other', 'zapper'], versions: [null, '2026-11'] }))
  await store.close()
  expect((await call(['doctor', '--runs'], { cwd })).code).toBe(0)
})
